// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::decode::{watched, Callback};
use crate::error::check;
use crate::{c_string, made, text_of, Completion, DecodeParams, Event, Flow, Result, Seq, Stats, Token, VoteParams};
use libnxs_sys as sys;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{null, null_mut, NonNull};

/// How samples are computed. All modes give the same bytes and receipts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// All samples advance together.
    #[default]
    Batched,
    /// One after another, on forks of the prompt.
    Paged,
    /// One after another, the prompt computed again for each: the baseline.
    Reset,
}

/// The outcome of a self-consistency run: independent of session and model.
#[derive(Debug)]
pub struct Vote {
    raw: NonNull<sys::nxs_vote>,
}

// SAFETY: readers may be many; set_answer needs the vote mutably.
unsafe impl Send for Vote {}
// SAFETY: as above.
unsafe impl Sync for Vote {}

/// A sample's completion, which belongs to its vote.
#[derive(Debug)]
pub struct Sample<'a> {
    completion: Completion,
    _vote: PhantomData<&'a Vote>,
}

impl Deref for Sample<'_> {
    type Target = Completion;

    fn deref(&self) -> &Completion {
        &self.completion
    }
}

impl Seq {
    /// Appends the prompt, draws samples of its continuation, and counts their answers. The sequence keeps the prompt.
    pub fn vote(&mut self, mode: VoteMode, prompt: &[Token], params: &DecodeParams, vote: &VoteParams) -> Result<Vote> {
        self.draw((None, null_mut()), mode, prompt, params, vote)
    }

    /// The same, telling a closure of each event of each sample.
    pub fn vote_with(
        &mut self,
        mode: VoteMode,
        prompt: &[Token],
        params: &DecodeParams,
        vote: &VoteParams,
        mut on_event: impl FnMut(&Event<'_>) -> Flow,
    ) -> Result<Vote> {
        watched(&mut on_event, |callback| self.draw(callback, mode, prompt, params, vote))
    }

    fn draw(
        &mut self,
        (function, user): Callback,
        mode: VoteMode,
        prompt: &[Token],
        params: &DecodeParams,
        vote: &VoteParams,
    ) -> Result<Vote> {
        let call = match mode {
            VoteMode::Batched => sys::nxs_selfconsist_batched,
            VoteMode::Paged => sys::nxs_selfconsist_paged,
            VoteMode::Reset => sys::nxs_selfconsist_reset,
        };
        let (mut raw, params, vote) = (null_mut(), params.to_c(), vote.to_c());
        let (from, n) = (prompt.as_ptr(), prompt.len());
        // SAFETY: pointers and lengths belong together, `user` is what `function` wants.
        check(|err| unsafe { call(&mut raw, self.raw(), from, n, &params, &vote, function, user, err) })?;
        Ok(Vote { raw: made(raw) })
    }
}

/// A number that C takes for a sample or rank; one that does not fit is none.
fn index(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(-1)
}

impl Vote {
    fn raw(&self) -> *const sys::nxs_vote {
        self.raw.as_ptr()
    }

    /// How many samples have a result.
    pub fn n_samples(&self) -> usize {
        // SAFETY: the vote is open, here and in the next ones.
        unsafe { sys::nxs_vote_n_samples(self.raw()) as usize }
    }

    /// How many samples were not needed ([`VoteParams::early`]).
    pub fn n_skipped(&self) -> usize {
        // SAFETY: as above.
        unsafe { sys::nxs_vote_n_skipped(self.raw()) as usize }
    }

    /// The completion of a sample.
    pub fn sample(&self, sample: usize) -> Option<Sample<'_>> {
        // SAFETY: as above.
        let raw = unsafe { sys::nxs_vote_sample(self.raw(), index(sample)) };
        let completion = Completion::lent(NonNull::new(raw.cast_mut())?);
        Some(Sample { completion, _vote: PhantomData })
    }

    /// The completions of all samples.
    pub fn samples(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.n_samples()).filter_map(|i| self.sample(i))
    }

    /// The answer of a sample.
    pub fn sample_answer(&self, sample: usize) -> Option<Cow<'_, str>> {
        // SAFETY: lent until an answer is set, which needs the vote mutably; so are the next ones.
        unsafe { text_of(sys::nxs_vote_sample_answer(self.raw(), index(sample))) }
    }

    /// The different answers and how many samples gave each: most votes first, then the lowest sample.
    pub fn answers(&self) -> impl Iterator<Item = (Cow<'_, str>, usize)> {
        (0..).map_while(|rank| {
            // SAFETY: as above.
            let answer = unsafe { text_of(sys::nxs_vote_answer(self.raw(), rank)) }?;
            // SAFETY: as above.
            Some((answer, unsafe { sys::nxs_vote_answer_count(self.raw(), rank) } as usize))
        })
    }

    /// The answer with most votes.
    pub fn winner(&self) -> Option<Cow<'_, str>> {
        self.answers().next().map(|(answer, _)| answer)
    }

    /// The winner as a number: `Status::NoAnswer` if there is none, `Status::Range` if it is no 64-bit integer.
    pub fn winner_i64(&self) -> Result<i64> {
        let mut winner = 0;
        // SAFETY: as above.
        check(|err| unsafe { sys::nxs_vote_winner_int64(&mut winner, self.raw(), err) })?;
        Ok(winner)
    }

    /// Whether the second answer has as many votes as the first.
    pub fn is_tie(&self) -> bool {
        // SAFETY: as above.
        unsafe { sys::nxs_vote_is_tie(self.raw()) != 0 }
    }

    /// Replaces the answer of a sample (`None` takes it away) and counts again.
    pub fn set_answer(&mut self, sample: usize, answer: Option<&str>) -> Result<()> {
        let answer = answer.map(|text| c_string("answer", text)).transpose()?;
        let text = answer.as_ref().map_or(null(), |text| text.as_ptr());
        // SAFETY: the string lives during the call.
        check(|err| unsafe { sys::nxs_vote_set_answer(self.raw.as_ptr(), index(sample), text, err) })
    }

    /// Of the whole call: a shared forward counts once.
    pub fn stats(&self) -> Stats {
        // SAFETY: lent until the vote is closed.
        Stats::new(unsafe { &*sys::nxs_vote_stats(self.raw()) })
    }

    /// Over the samples' receipts and answers.
    pub fn receipt(&self) -> Cow<'_, str> {
        // SAFETY: as above.
        unsafe { text_of(sys::nxs_vote_receipt(self.raw())) }.unwrap_or_default()
    }
}

impl Drop for Vote {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { sys::nxs_vote_close(self.raw.as_ptr()) }
    }
}
