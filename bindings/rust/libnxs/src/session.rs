// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::error::check;
use crate::{made, Error, Isa, Model, Result, Seq, SessionParams, Token};
use libnxs_sys as sys;
use std::mem::size_of;
use std::ptr::{null_mut, NonNull};
use std::sync::{Arc, Weak};

/// The library's handle, held by a session and its sequences, so that cancelling works as long as there is something
/// to cancel.
#[derive(Debug)]
pub(crate) struct Handle {
    raw: NonNull<sys::nxs_session>,
}

// SAFETY: the library refuses concurrent calls, and closes on any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { sys::nxs_session_close(self.raw.as_ptr()) }
    }
}

/// Threads, pages and scratch memory over one model. One call at a time, from any thread.
#[derive(Debug)]
pub struct Session {
    handle: Arc<Handle>,
}

/// What a session has and uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct SessionInfo {
    pub n_threads: u32,
    /// The one in use.
    pub isa: Isa,
    pub page_tokens: u32,
    pub n_ctx: i64,
    /// Tokens in the page pool now.
    pub kv_tokens: i64,
    /// Of those, free.
    pub kv_tokens_free: i64,
    /// The most ever in use.
    pub kv_tokens_peak: i64,
    pub kv_bytes: i64,
    pub scratch_bytes: i64,
}

/// One sequence of a [`Session::forward`], and the tokens that it gets.
#[derive(Debug)]
pub struct Input<'a> {
    /// All different.
    pub seq: &'a mut Seq,
    /// At least one.
    pub tokens: &'a [Token],
    /// For each token, whether the logits after it are wanted; `None`: after the last one.
    pub want: Option<&'a [bool]>,
}

impl Session {
    /// Opens a session, which keeps the model's memory alive.
    pub fn open(model: &Model, params: &SessionParams) -> Result<Session> {
        let (mut raw, params) = (null_mut(), params.to_c());
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_session_open(&mut raw, model.raw(), &params, err) })?;
        Ok(Session { handle: Arc::new(Handle { raw: made(raw) }) })
    }

    fn raw(&self) -> *mut sys::nxs_session {
        self.handle.raw.as_ptr()
    }

    /// What the session has and uses.
    pub fn info(&self) -> Result<SessionInfo> {
        let size = size_of::<sys::nxs_session_info>() as u32;
        let mut i = sys::nxs_session_info { struct_size: size, ..Default::default() };
        // SAFETY: the struct has the size that it says.
        check(|err| unsafe { sys::nxs_session_get_info(&mut i, self.raw(), err) })?;
        Ok(SessionInfo {
            n_threads: i.n_threads,
            isa: Isa::from_code(i.isa),
            page_tokens: i.page_tokens,
            n_ctx: i.n_ctx,
            kv_tokens: i.kv_tokens,
            kv_tokens_free: i.kv_tokens_free,
            kv_tokens_peak: i.kv_tokens_peak,
            kv_bytes: i.kv_bytes,
            scratch_bytes: i.scratch_bytes,
        })
    }

    /// An empty sequence.
    pub fn new_seq(&self) -> Result<Seq> {
        let mut raw = null_mut();
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_seq_new(&mut raw, self.raw(), err) })?;
        Ok(Seq::new(made(raw), self.handle.clone()))
    }

    /// What cancels this session's runs from elsewhere.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { session: Arc::downgrade(&self.handle) }
    }

    /// Appends tokens to sequences of this session in one forward. The library writes the wanted rows of logits, each
    /// as long as the vocabulary, straight into `logits`, in the order of the tokens.
    pub fn forward(&self, logits: &mut [f32], inputs: &mut [Input<'_>]) -> Result<()> {
        let (mut seqs, mut counts, mut tokens, mut want) = (vec![], vec![], vec![], vec![]);
        for input in inputs {
            if !input.seq.belongs_to(&self.handle) {
                return Err(Error::argument("a sequence belongs to another session"));
            }
            let n = input.tokens.len();
            let Ok(count) = i32::try_from(n) else { return Err(Error::argument("too many tokens")) };
            seqs.push(input.seq.raw());
            counts.push(count);
            tokens.extend_from_slice(input.tokens);
            match input.want {
                None => want.extend((0..n).map(|j| u8::from(j + 1 == n))),
                Some(flags) if flags.len() == n => want.extend(flags.iter().map(|&flag| u8::from(flag))),
                Some(_) => return Err(Error::argument("want and tokens differ in length")),
            }
        }
        // SAFETY: pointers and lengths belong together; the borrows make the sequences ours and different.
        check(|err| unsafe {
            sys::nxs_forward(
                logits.as_mut_ptr(),
                logits.len(),
                seqs.as_ptr().cast(),
                counts.as_ptr(),
                seqs.len(),
                tokens.as_ptr(),
                want.as_ptr(),
                err,
            )
        })
    }
}

/// Raises and lowers the cancel flag of a session, from any thread and from closures. It does not keep the session.
#[derive(Clone, Debug)]
pub struct CancelHandle {
    session: Weak<Handle>,
}

impl CancelHandle {
    /// Runs end with [`StopReason::Cancelled`](crate::StopReason::Cancelled) within one forward, until the flag is
    /// lowered again.
    pub fn cancel(&self) {
        self.set(1);
    }

    /// Lowers the flag.
    pub fn reset(&self) {
        self.set(0);
    }

    fn set(&self, on: i32) {
        if let Some(handle) = self.session.upgrade() {
            // SAFETY: legal at any time while the handle is open.
            unsafe { sys::nxs_session_cancel(handle.raw.as_ptr(), on) }
        }
    }
}
