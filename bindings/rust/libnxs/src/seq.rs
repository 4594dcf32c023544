// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::error::{check, grown};
use crate::session::Handle;
use crate::{made, Result, Token};
use libnxs_sys as sys;
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;

/// A sequence of tokens with their keys and values. Decoding appends to it (`decode.rs`, `stream.rs`, `vote.rs`).
#[derive(Debug)]
pub struct Seq {
    raw: NonNull<sys::nxs_seq>,
    session: Arc<Handle>,
}

// SAFETY: the library refuses concurrent calls, and closes on any thread.
unsafe impl Send for Seq {}
// SAFETY: as above.
unsafe impl Sync for Seq {}

impl Seq {
    pub(crate) fn new(raw: NonNull<sys::nxs_seq>, session: Arc<Handle>) -> Seq {
        Seq { raw, session }
    }

    pub(crate) fn raw(&self) -> *mut sys::nxs_seq {
        self.raw.as_ptr()
    }

    pub(crate) fn belongs_to(&self, session: &Arc<Handle>) -> bool {
        Arc::ptr_eq(&self.session, session)
    }

    /// All of it as a sequence of its own: pages are shared, nothing is computed.
    pub fn fork(&self) -> Result<Seq> {
        self.fork_c(-1)
    }

    /// The first `length` tokens as a sequence of its own.
    pub fn fork_at(&self, length: usize) -> Result<Seq> {
        self.fork_c(i64::try_from(length).unwrap_or(i64::MAX))
    }

    fn fork_c(&self, length: i64) -> Result<Seq> {
        let mut raw = null_mut();
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_seq_fork(&mut raw, self.raw(), length, err) })?;
        Ok(Seq::new(made(raw), self.session.clone()))
    }

    /// Keeps the first `length` tokens.
    pub fn truncate(&mut self, length: usize) -> Result<()> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        // SAFETY: the handle is open.
        check(|err| unsafe { sys::nxs_seq_truncate(self.raw(), length, err) })
    }

    /// The number of tokens, at any time.
    pub fn len(&self) -> usize {
        // SAFETY: legal at any time while the handle is open.
        unsafe { sys::nxs_seq_length(self.raw()) as usize }
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens.
    pub fn tokens(&self) -> Result<Vec<Token>> {
        grown(self.len(), |out, capacity, n, err| {
            // SAFETY: pointer and capacity belong together.
            unsafe { sys::nxs_seq_tokens(out, capacity, n, self.raw(), err) }
        })
    }

    /// Makes runs on this sequence end before the text, which is not emitted. An empty one removes all such texts.
    pub fn add_stop(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let text = text.as_ref();
        // SAFETY: pointer and length belong together.
        check(|err| unsafe { sys::nxs_seq_add_stop(self.raw(), text.as_ptr().cast(), text.len(), err) })
    }
}

impl Drop for Seq {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { sys::nxs_seq_close(self.raw()) }
    }
}
