// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::{slice_of, text_of, Token};
use libnxs_sys as sys;
use std::borrow::Cow;
use std::ptr::NonNull;

/// Why a run ended. When several apply at once, the first of these is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum StopReason {
    Token,
    Text,
    MaxNew,
    Context,
    KvFull,
    Cancelled,
    /// A reason of a newer library.
    Other(u32),
}

/// What a run did. Rows = (prompt - reused) + decode rows; emitted = accepted + the model's own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct Stats {
    /// `None`: a stream that has not ended, or a vote that ran to its end.
    pub stop: Option<StopReason>,
    pub n_prompt: i64,
    pub n_reused: i64,
    pub n_forwards: i64,
    pub n_rows: i64,
    pub n_drafted: i64,
    pub n_accepted: i64,
    pub n_emitted: i64,
    pub prefill_seconds: f64,
    pub decode_seconds: f64,
    pub draft_seconds: f64,
}

impl Stats {
    pub(crate) fn new(s: &sys::nxs_stats) -> Stats {
        let stop = match s.stop {
            0 => None,
            sys::NXS_STOP_TOKEN => Some(StopReason::Token),
            sys::NXS_STOP_TEXT => Some(StopReason::Text),
            sys::NXS_STOP_MAX_NEW => Some(StopReason::MaxNew),
            sys::NXS_STOP_CONTEXT => Some(StopReason::Context),
            sys::NXS_STOP_KV_FULL => Some(StopReason::KvFull),
            sys::NXS_STOP_CANCELLED => Some(StopReason::Cancelled),
            other => Some(StopReason::Other(other)),
        };
        Stats {
            stop,
            n_prompt: s.n_prompt,
            n_reused: s.n_reused,
            n_forwards: s.n_forwards,
            n_rows: s.n_rows,
            n_drafted: s.n_drafted,
            n_accepted: s.n_accepted,
            n_emitted: s.n_emitted,
            prefill_seconds: s.prefill_seconds,
            decode_seconds: s.decode_seconds,
            draft_seconds: s.draft_seconds,
        }
    }
}

/// What a run emitted: immutable, independent of session and model. Everything it gives is lent, nothing copied.
#[derive(Debug)]
pub struct Completion {
    raw: NonNull<sys::nxs_result>,
    owned: bool,
}

// SAFETY: results are immutable, and closed on any thread.
unsafe impl Send for Completion {}
// SAFETY: as above.
unsafe impl Sync for Completion {}

impl Completion {
    pub(crate) fn owned(raw: NonNull<sys::nxs_result>) -> Completion {
        Completion { raw, owned: true }
    }

    /// A sample that a vote owns; whoever makes it must not let it outlive the vote.
    pub(crate) fn lent(raw: NonNull<sys::nxs_result>) -> Completion {
        Completion { raw, owned: false }
    }

    fn raw(&self) -> *const sys::nxs_result {
        self.raw.as_ptr()
    }

    /// The emitted tokens.
    pub fn tokens(&self) -> &[Token] {
        let mut n = 0;
        // SAFETY: lent until the result is closed, as are the next ones.
        unsafe { slice_of(sys::nxs_result_tokens(self.raw(), &mut n), n) }
    }

    /// Of each token, whether it was drafted and accepted.
    pub fn drafted(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        let mut n = 0;
        // SAFETY: as above.
        let flags = unsafe { slice_of(sys::nxs_result_flags(self.raw(), &mut n), n) };
        flags.iter().map(|flag| u32::from(*flag) & sys::NXS_EVENT_DRAFTED != 0)
    }

    /// The natural logarithm of each token's probability at temperature 1; empty if not asked for.
    pub fn logprobs(&self) -> &[f32] {
        let mut n = 0;
        // SAFETY: as above.
        unsafe { slice_of(sys::nxs_result_logprobs(self.raw(), &mut n), n) }
    }

    /// The bytes of the emitted tokens, cut where a stop text began.
    pub fn text(&self) -> &[u8] {
        let mut n = 0;
        // SAFETY: as above.
        unsafe { slice_of(sys::nxs_result_text(self.raw(), &mut n).cast(), n) }
    }

    /// The text as a string; bytes that are in no character become U+FFFD.
    pub fn text_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.text())
    }

    /// Counts and times.
    pub fn stats(&self) -> Stats {
        // SAFETY: as above.
        Stats::new(unsafe { &*sys::nxs_result_stats(self.raw()) })
    }

    /// "1:" and 32 hex digits: two runs with one receipt computed the same thing.
    pub fn receipt(&self) -> Cow<'_, str> {
        // SAFETY: as above.
        unsafe { text_of(sys::nxs_result_receipt(self.raw())) }.unwrap_or_default()
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: nobody has it any more.
            unsafe { sys::nxs_result_close(self.raw.as_ptr()) }
        }
    }
}
