// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::error::check;
use crate::event::Failure;
use crate::{made, Completion, DecodeParams, Drafter, Error, Event, Result, Seq, Token};
use libnxs_sys as sys;
use std::iter::FusedIterator;
use std::ptr::{null, null_mut, NonNull};

/// A run that is pulled, event by event. Dropping it ends the run; what was pulled stays in the sequence.
///
/// As an iterator it gives owned events, and ends after an error; [`next_event`](Stream::next_event) lends them.
#[derive(Debug)]
pub struct Stream<'a> {
    raw: NonNull<sys::nxs_stream>,
    _seq: &'a mut Seq, // in use
    drafter: Option<&'a mut Drafter>,
    ended: bool,
}

// SAFETY: the library refuses concurrent calls, and closes on any thread.
unsafe impl Send for Stream<'_> {}
// SAFETY: as above.
unsafe impl Sync for Stream<'_> {}

impl Seq {
    /// Begins a run. Nothing is computed before the first event is asked for.
    pub fn stream<'a>(
        &'a mut self,
        prompt: &[Token],
        params: &DecodeParams,
        mut drafter: Option<&'a mut Drafter>,
    ) -> Result<Stream<'a>> {
        let (mut raw, params) = (null_mut(), params.to_c());
        let (from, n) = (prompt.as_ptr(), prompt.len());
        let d = drafter.as_mut().map_or(null_mut(), |drafter| drafter.raw());
        // SAFETY: pointers and lengths belong together; the borrow keeps the drafter as long as the stream.
        check(|err| unsafe { sys::nxs_stream_open(&mut raw, self.raw(), from, n, &params, d, err) })?;
        Ok(Stream { raw: made(raw), _seq: self, drafter, ended: false })
    }
}

impl Stream<'_> {
    /// The next event, `None` after the last one. An error ends the stream and is given again by each further call.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>> {
        let mut event = null();
        // SAFETY: all pointers are good for the call.
        let pulled = check(|err| unsafe { sys::nxs_stream_next(&mut event, self.raw.as_ptr(), err) });
        if let Err(error) = pulled {
            return Err(self.failed(error));
        }
        // SAFETY: the event lives until the next call, which needs `self` mutably.
        Ok(unsafe { event.as_ref().map(|e| Event::borrowed(e)) })
    }

    fn failed(&mut self, error: Error) -> Error {
        self.ended = true;
        let failure = self.drafter.as_mut().and_then(|drafter| drafter.take_failure());
        error.because(Failure::surface(failure))
    }

    /// What has been pulled so far.
    pub fn result(&mut self) -> Result<Completion> {
        let mut raw = null_mut();
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_stream_result(&mut raw, self.raw.as_ptr(), err) })?;
        Ok(Completion::owned(made(raw)))
    }
}

impl Iterator for Stream<'_> {
    type Item = Result<Event<'static>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_event().map(|event| event.map(Event::into_owned)).transpose();
        self.ended |= next.is_none();
        next
    }
}

impl FusedIterator for Stream<'_> {}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { sys::nxs_stream_close(self.raw.as_ptr()) }
    }
}
