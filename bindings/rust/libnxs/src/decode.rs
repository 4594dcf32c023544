// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs that return when they have ended.
use crate::error::check;
use crate::event::{Failure, Watcher};
use crate::{made, Completion, DecodeParams, Drafter, Event, Flow, Result, Seq, Token};
use libnxs_sys as sys;
use std::ffi::c_void;
use std::ptr::null_mut;

/// What both kinds of run take besides their own arguments.
pub(crate) type Callback = (sys::nxs_event_fn, *mut c_void);

impl Seq {
    /// Appends the prompt and decodes one token per forward: what `spec_decode` must equal.
    pub fn plain_decode(&mut self, prompt: &[Token], params: &DecodeParams) -> Result<Completion> {
        self.plain((None, null_mut()), prompt, params)
    }

    /// The same, telling a closure of each event.
    pub fn plain_decode_with(
        &mut self,
        prompt: &[Token],
        params: &DecodeParams,
        mut on_event: impl FnMut(&Event<'_>) -> Flow,
    ) -> Result<Completion> {
        watched(&mut on_event, |callback| self.plain(callback, prompt, params))
    }

    /// The tokens and the receipt of `plain_decode`, faster: drafts are verified several tokens at a time. `None`:
    /// prompt lookup with defaults. With an empty prompt it goes on from what the sequence holds.
    pub fn spec_decode(
        &mut self,
        prompt: &[Token],
        params: &DecodeParams,
        drafter: Option<&mut Drafter>,
    ) -> Result<Completion> {
        self.spec((None, null_mut()), prompt, params, drafter)
    }

    /// The same, telling a closure of each event.
    pub fn spec_decode_with(
        &mut self,
        prompt: &[Token],
        params: &DecodeParams,
        drafter: Option<&mut Drafter>,
        mut on_event: impl FnMut(&Event<'_>) -> Flow,
    ) -> Result<Completion> {
        watched(&mut on_event, |callback| self.spec(callback, prompt, params, drafter))
    }

    fn plain(&mut self, (function, user): Callback, prompt: &[Token], params: &DecodeParams) -> Result<Completion> {
        let (mut raw, params) = (null_mut(), params.to_c());
        let (from, n) = (prompt.as_ptr(), prompt.len());
        // SAFETY: pointers and lengths belong together, `user` is what `function` wants.
        check(|err| unsafe { sys::nxs_plain_decode(&mut raw, self.raw(), from, n, &params, function, user, err) })?;
        Ok(Completion::owned(made(raw)))
    }

    fn spec(
        &mut self,
        (function, user): Callback,
        prompt: &[Token],
        params: &DecodeParams,
        mut drafter: Option<&mut Drafter>,
    ) -> Result<Completion> {
        let (mut raw, params) = (null_mut(), params.to_c());
        let (from, n) = (prompt.as_ptr(), prompt.len());
        let d = drafter.as_mut().map_or(null_mut(), |drafter| drafter.raw());
        // SAFETY: pointers and lengths belong together, `user` is what `function` wants.
        let run = check(|err| unsafe {
            sys::nxs_spec_decode(&mut raw, self.raw(), from, n, &params, d, function, user, err)
        });
        let cause = Failure::surface(drafter.and_then(Drafter::take_failure));
        run.map_err(|error| error.because(cause)).map(|()| Completion::owned(made(raw)))
    }
}

/// Lets a run call a closure, and brings back what went wrong in it.
pub(crate) fn watched<T>(
    on_event: &mut dyn FnMut(&Event<'_>) -> Flow,
    run: impl FnOnce(Callback) -> Result<T>,
) -> Result<T> {
    let mut watcher = Watcher::new(on_event);
    let result = run((watcher.function(), watcher.user()));
    match Failure::surface(watcher.failure()) {
        None => result,
        cause => result.map_err(|error| error.because(cause)),
    }
}
