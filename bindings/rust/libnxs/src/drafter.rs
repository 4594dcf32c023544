// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::error::check;
use crate::event::Failure;
use crate::{made, slice_of, Cause, LookupParams, Result, Token};
use libnxs_sys as sys;
use std::ffi::c_void;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null_mut, NonNull};

type DraftFn = dyn FnMut(&[Token], &mut [Token]) -> std::result::Result<usize, Cause> + Send;

/// A closure, as the library calls it.
struct Custom {
    draft: Box<DraftFn>,
    failure: Option<Failure>,
}

/// Proposes tokens for verification: it changes the speed, never the output. A run or stream borrows it.
pub struct Drafter {
    raw: NonNull<sys::nxs_drafter>,
    custom: Option<NonNull<Custom>>, // owned; the library has the same pointer
}

// SAFETY: it is only called by runs, which borrow it mutably; the closure is Send.
unsafe impl Send for Drafter {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for Drafter {}

impl fmt::Debug for Drafter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drafter").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl Drafter {
    /// Looks the last tokens up in the text so far.
    pub fn lookup(params: &LookupParams) -> Result<Drafter> {
        let (mut raw, params) = (null_mut(), params.to_c());
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_drafter_lookup(&mut raw, &params, err) })?;
        Ok(Drafter { raw: made(raw), custom: None })
    }

    /// Asks a closure, which gets the tokens so far, writes some that may follow and returns how many. Its error ends the
    /// run with [`Status::Callback`](crate::Status::Callback). `draft_max` is at most 256.
    pub fn custom<F>(draft_max: u32, draft: F) -> Result<Drafter>
    where
        F: FnMut(&[Token], &mut [Token]) -> std::result::Result<usize, Cause> + Send + 'static,
    {
        let mut raw = null_mut();
        let custom = Box::into_raw(Box::new(Custom { draft: Box::new(draft), failure: None }));
        // SAFETY: all pointers are good for the call, `custom` until after the drafter.
        let made_it =
            check(|err| unsafe { sys::nxs_drafter_custom(&mut raw, Some(ask), custom.cast(), draft_max, err) });
        if let Err(error) = made_it {
            // SAFETY: nobody else has it.
            drop(unsafe { Box::from_raw(custom) });
            return Err(error);
        }
        Ok(Drafter { raw: made(raw), custom: NonNull::new(custom) })
    }

    /// More text for a lookup drafter to look in, after the sequence itself.
    pub fn add_text(&mut self, tokens: &[Token]) -> Result<()> {
        let (from, n) = (tokens.as_ptr(), tokens.len());
        // SAFETY: pointer and length belong together.
        check(|err| unsafe { sys::nxs_drafter_add_text(self.raw(), from, n, err) })
    }

    pub(crate) fn raw(&mut self) -> *mut sys::nxs_drafter {
        self.raw.as_ptr()
    }

    /// What went wrong in the closure, once.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        // SAFETY: no run is inside: they borrow the drafter mutably.
        self.custom.and_then(|custom| unsafe { (*custom.as_ptr()).failure.take() })
    }
}

impl Drop for Drafter {
    fn drop(&mut self) {
        // SAFETY: no run or stream has it any more, so the closure is not called again.
        unsafe {
            sys::nxs_drafter_close(self.raw.as_ptr());
            if let Some(custom) = self.custom {
                drop(Box::from_raw(custom.as_ptr()));
            }
        }
    }
}

/// No panic may pass through C.
unsafe extern "C" fn ask(user: *mut c_void, context: *const i32, n: usize, draft: *mut i32, capacity: usize) -> i32 {
    // SAFETY: `user` is a Custom that only the run inside uses; the arrays are the library's, until we return.
    let (custom, context) = unsafe { (&mut *user.cast::<Custom>(), slice_of(context, n)) };
    let draft: &mut [Token] = if draft.is_null() {
        &mut []
    } else {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(draft, capacity) }
    };
    match catch_unwind(AssertUnwindSafe(|| (custom.draft)(context, draft))) {
        Ok(Ok(written)) if written <= capacity => return written as i32,
        Ok(Ok(_)) => custom.failure = Some(Failure::Cause("a drafter returned more tokens than it could write".into())),
        Ok(Err(cause)) => custom.failure = Some(Failure::Cause(cause)),
        Err(payload) => custom.failure = Some(Failure::Panic(payload)),
    }
    -1
}
