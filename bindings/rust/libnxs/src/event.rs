// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::{slice_of, Cause, EventFlags, Token};
use libnxs_sys as sys;
use std::any::Any;
use std::borrow::Cow;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// What a run tells: once per prefill chunk, once per emitted token, and once at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// Of a vote; 0 in a single run.
    pub sample: i32,
    /// Of the token in its run; of the prompt's tokens those in the cache (PREFILL); tokens emitted (END).
    pub index: i64,
    /// `None` in PREFILL and END.
    pub token: Option<Token>,
    /// What the event is about.
    pub flags: EventFlags,
    /// Characters that this token completed, and bytes that are in none; in END the unfinished rest.
    pub text: Cow<'a, [u8]>,
    /// This token's own bytes, cut where a stop text begins.
    pub piece: Cow<'a, [u8]>,
}

impl<'a> Event<'a> {
    /// # Safety
    /// What the event points to must outlive `'a`.
    pub(crate) unsafe fn borrowed(e: &sys::nxs_event) -> Event<'a> {
        // SAFETY: the library's pointers and lengths belong together.
        let (text, piece) = unsafe { (slice_of(e.text.cast(), e.text_len), slice_of(e.piece.cast(), e.piece_len)) };
        Event {
            sample: e.sample,
            index: e.index,
            token: (e.token >= 0).then_some(e.token),
            flags: EventFlags(e.flags),
            text: Cow::Borrowed(text),
            piece: Cow::Borrowed(piece),
        }
    }

    /// The text as a string; bytes that are in no character become U+FFFD.
    pub fn text_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }

    /// The same event, with its own copy of the bytes.
    pub fn into_owned(self) -> Event<'static> {
        Event { text: Cow::Owned(self.text.into_owned()), piece: Cow::Owned(self.piece.into_owned()), ..self }
    }
}

/// What a closure wants to happen after an event.
#[derive(Debug, Default)]
pub enum Flow {
    /// Go on.
    #[default]
    Continue,
    /// End the run (all samples of it) and keep its tokens.
    Stop,
    /// Fail with [`Status::Callback`](crate::Status::Callback), this as the source, and nothing kept.
    Fail(Cause),
}

impl<E: Into<Cause>> From<std::result::Result<(), E>> for Flow {
    fn from(result: std::result::Result<(), E>) -> Flow {
        result.map_or_else(|error| Flow::Fail(error.into()), |()| Flow::Continue)
    }
}

/// What went wrong in a closure, on its way through C.
pub(crate) enum Failure {
    Cause(Cause),
    Panic(Box<dyn Any + Send>),
}

impl Failure {
    /// Goes on with a panic, or gives the cause.
    pub(crate) fn surface(failure: Option<Failure>) -> Option<Cause> {
        match failure {
            Some(Failure::Panic(payload)) => resume_unwind(payload),
            Some(Failure::Cause(cause)) => Some(cause),
            None => None,
        }
    }
}

/// A closure, as the library calls it.
pub(crate) struct Watcher<'a> {
    on_event: &'a mut dyn FnMut(&Event<'_>) -> Flow,
    failure: Option<Failure>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(on_event: &'a mut dyn FnMut(&Event<'_>) -> Flow) -> Watcher<'a> {
        Watcher { on_event, failure: None }
    }

    pub(crate) fn function(&self) -> sys::nxs_event_fn {
        Some(tell)
    }

    pub(crate) fn user(&mut self) -> *mut c_void {
        (self as *mut Watcher<'_>).cast()
    }

    pub(crate) fn failure(self) -> Option<Failure> {
        self.failure
    }
}

/// No panic may pass through C.
unsafe extern "C" fn tell(user: *mut c_void, event: *const sys::nxs_event) -> i32 {
    // SAFETY: `user` is what Watcher::user gave, for the time of the call; the event lives until we return.
    let (watcher, event) = unsafe { (&mut *user.cast::<Watcher<'_>>(), Event::borrowed(&*event)) };
    if watcher.failure.is_some() {
        return -1; // it has failed, and is not called again
    }
    match catch_unwind(AssertUnwindSafe(|| (watcher.on_event)(&event))) {
        Ok(Flow::Continue) => return 0,
        Ok(Flow::Stop) => return 1,
        Ok(Flow::Fail(cause)) => watcher.failure = Some(Failure::Cause(cause)),
        Err(payload) => watcher.failure = Some(Failure::Panic(payload)),
    }
    -1
}
