// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoding with Llama-class language models on CPUs through libnxs: speculative decoding and self-consistency that
//! give, bit for bit, what plain decoding gives.
//!
//! ```no_run
//! use libnxs::{ChatFlags, DecodeParams, Message, Model, Session, SessionParams};
//!
//! fn main() -> libnxs::Result<()> {
//!     let model = Model::open("model.gguf")?;
//!     let session = Session::open(&model, &SessionParams::default())?;
//!     let mut seq = session.new_seq()?;
//!     let prompt = model.chat_format(&[Message::user("List the planets.")], ChatFlags::REPLY)?;
//!     let completion = seq.spec_decode(&prompt, &DecodeParams::default(), None)?;
//!     println!("{}\n{}", completion.text_lossy(), completion.receipt());
//!     Ok(())
//! }
//! ```
//!
//! **Errors** carry a [`Status`] and the library's message; failure changes nothing.
//!
//! **Lifetimes.** Handles keep what they need alive, so a [`Seq`] may outlive its [`Session`] and that its [`Model`]. A
//! [`Stream`] borrows its sequence and its drafter.
//!
//! **Threads.** All handles are `Send` and `Sync`. A session with all its sequences takes one call at a time; a second
//! one gets [`Status::Busy`], never a race. One session for each thread over one shared model is how to use many.
//!
//! **Panics** in closures are caught, the run is undone, and the panic goes on in the caller. (Where panics abort, they
//! abort.)
//!
//! **Cancelling**: a [`CancelHandle`] works from any thread, and from closures.

mod completion;
mod decode;
mod drafter;
mod error;
mod event;
mod flags;
mod model;
mod params;
mod seq;
mod session;
mod stream;
mod vote;

pub use completion::{Completion, Stats, StopReason};
pub use drafter::Drafter;
pub use error::{Cause, Error, Result, Status};
pub use event::{Event, Flow};
pub use flags::{ChatFlags, DecodeFlags, EventFlags, TextFlags};
pub use model::{Message, Model, ModelInfo};
pub use params::{DecodeParams, Extractor, Isa, KvType, LookupParams, ModelParams, SessionParams, VoteParams};
pub use seq::Seq;
pub use session::{CancelHandle, Input, Session, SessionInfo};
pub use stream::Stream;
pub use vote::{Sample, Vote, VoteMode};

use libnxs_sys as sys;
use std::borrow::Cow;
use std::ffi::{c_char, CStr, CString};
use std::ptr::NonNull;

/// The id of a token, from 0 to [`ModelInfo::n_vocab`] - 1.
pub type Token = i32;

/// The version of the library that is loaded.
///
/// ```
/// assert!(libnxs::version().starts_with("0."));
/// ```
pub fn version() -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(sys::nxs_version()) }.to_str().unwrap_or_default()
}

/// One JSON object about how the library was built.
pub fn build_info() -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr(sys::nxs_build_info()) }.to_str().unwrap_or_default()
}

/// Proves on this CPU that every kernel gives the bits of its definition: level 0 takes below a second, 1 below a
/// minute. The digest is the same on every machine for one version of the library.
///
/// ```
/// assert_eq!(libnxs::selftest(0)?.len(), 32);
/// # Ok::<(), libnxs::Error>(())
/// ```
pub fn selftest(level: u32) -> Result<String> {
    let mut digest: [c_char; 33] = [0; 33];
    // SAFETY: 33 bytes are what the call writes.
    error::check(|err| unsafe { sys::nxs_selftest(digest.as_mut_ptr(), level, err) })?;
    // SAFETY: the digest ends with a NUL.
    Ok(unsafe { text_of(digest.as_ptr()) }.unwrap_or_default().into_owned())
}

/// A [`SessionParams::kv_tokens`] that is surely enough for a prompt and `n_samples` forks of it.
///
/// ```
/// assert!(libnxs::kv_tokens(100, 50, 8, 64) >= 100 + 8 * 50);
/// assert_eq!(libnxs::kv_tokens(-1, 0, 0, 64), 0);
/// ```
pub fn kv_tokens(n_prompt: i64, max_new: i64, n_samples: i64, page_tokens: u32) -> i64 {
    // SAFETY: arithmetic.
    unsafe { sys::nxs_kv_tokens(n_prompt, max_new, n_samples, page_tokens) }
}

/// Runs an extractor on a text; `None`: no answer.
///
/// ```
/// use libnxs::{extract, Extractor};
/// assert_eq!(extract(Extractor::LastInteger, "That makes 1,042 sheep.")?, Some("1042".into()));
/// assert_eq!(extract(Extractor::Boxed, "nothing")?, None);
/// # Ok::<(), libnxs::Error>(())
/// ```
pub fn extract(extractor: Extractor, text: impl AsRef<[u8]>) -> Result<Option<String>> {
    let text = text.as_ref();
    let answer = error::grown(text.len(), |out: *mut u8, capacity, n, err| {
        // SAFETY: pointers and lengths belong together.
        unsafe { sys::nxs_extract(out.cast(), capacity, n, extractor as u32, text.as_ptr().cast(), text.len(), err) }
    })?;
    Ok((!answer.is_empty()).then(|| String::from_utf8_lossy(&answer).into_owned()))
}

/// Text that the library lends; `None` for NULL.
///
/// # Safety
/// NULL, or a string that ends with a NUL and outlives `'a`.
unsafe fn text_of<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: as the caller promises.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// An array that the library lends, empty for NULL.
///
/// # Safety
/// NULL, or `n` elements that outlive `'a`.
unsafe fn slice_of<'a, T>(data: *const T, n: usize) -> &'a [T] {
    if data.is_null() || n == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, n) }
}

fn c_string(what: &str, text: impl Into<Vec<u8>>) -> Result<CString> {
    CString::new(text).map_err(|_| Error::argument(&format!("{what} contains a NUL byte")))
}

/// A handle that a call has made; NULL would be a defect of the library.
fn made<T>(raw: *mut T) -> NonNull<T> {
    NonNull::new(raw).expect("the library reports success and gives no handle")
}
