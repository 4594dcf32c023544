// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Closures for events and drafts: what they see and how they end a run.
mod common;
use common::*;
use libnxs::{Drafter, EventFlags, Flow, LookupParams, Status, StopReason, VoteMode, VoteParams};
use std::error::Error as _;

#[test]
fn events_are_the_result() {
    let (mut tokens, mut drafted, mut text, mut flags) = (vec![], vec![], vec![], vec![]);
    let mut seq = tiny_seq();
    let result = seq.spec_decode_with(&random_prompt(2, 17), &max_new(20), None, |event| {
        tokens.extend(event.token);
        drafted.extend(event.token.map(|_| event.flags.contains(EventFlags::DRAFTED)));
        text.extend_from_slice(&event.text);
        flags.push((event.flags, event.index));
        Flow::Continue
    });
    let result = result.unwrap();
    assert_eq!((tokens.as_slice(), text.as_slice()), (result.tokens(), result.text()));
    assert!(result.drafted().eq(drafted));
    assert_eq!(flags[0], (EventFlags::PREFILL, 7));
    assert_eq!(flags.last().unwrap().0, EventFlags::END);
}

/// A closure that answers with `flow` at the n-th event.
fn after(mut n: usize, flow: impl Fn() -> Flow) -> impl FnMut(&libnxs::Event<'_>) -> Flow {
    move |_| {
        n = n.wrapping_sub(1); // the event at the end still comes
        if n == 0 {
            flow()
        } else {
            Flow::Continue
        }
    }
}

#[test]
fn events_may_end_a_run() {
    let mut seq = tiny_seq();
    let params = max_new(100);
    let stopped = seq.spec_decode_with(&random_prompt(2, 5), &params, None, after(6, || Flow::Stop)).unwrap();
    assert_eq!((stopped.stats().stop, stopped.tokens().len()), (Some(StopReason::Cancelled), 5));
    let before = seq.len();
    let fail = || Flow::Fail("mine".into());
    let error = fails(seq.plain_decode_with(&[], &params, after(3, fail)), Status::Callback, "");
    assert_eq!((error.source().unwrap().to_string().as_str(), seq.len()), ("mine", before));
    let votes = VoteParams::default();
    let vote = seq.vote_with(VoteMode::Batched, &[], &params, &votes, after(9, fail));
    assert_eq!(fails(vote, Status::Callback, "").source().unwrap().to_string(), "mine");
    let vote = seq.vote_with(VoteMode::Paged, &[], &params, &votes, after(9, || Flow::Stop)).unwrap();
    assert_eq!(vote.stats().stop, Some(StopReason::Cancelled));
    assert!(matches!(Flow::from(Err::<(), _>("no")), Flow::Fail(_)));
}

#[test]
fn drafters_that_fail() {
    let mut seq = tiny_seq();
    let prompt = random_prompt(1, 4);
    let mut run = |mut drafter: Drafter| {
        let error = fails(seq.spec_decode(&prompt, &max_new(9), Some(&mut drafter)), Status::Callback, "");
        fails(drafter.add_text(&[1]), Status::Argument, "lookup");
        let cause = error.source().map(|cause| cause.to_string());
        cause.unwrap_or_else(|| error.message().to_string())
    };
    assert!(run(Drafter::custom(4, |_, draft| Ok(draft.len() + 1)).unwrap()).contains("more tokens"));
    assert!(run(Drafter::custom(4, |_, _| Err("mine".into())).unwrap()).contains("mine"));
    let foreign = |_: &[i32], draft: &mut [i32]| {
        draft[0] = 1 << 20;
        Ok(1)
    };
    assert!(run(Drafter::custom(4, foreign).unwrap()).contains("1048576"));
    let mut lookup = Drafter::lookup(&LookupParams::default()).unwrap();
    lookup.add_text(&random_prompt(1, 50)).unwrap();
    lookup.add_text(&[9999]).unwrap();
    fails(seq.spec_decode(&prompt, &max_new(9), Some(&mut lookup)), Status::Argument, "9999");
}

#[test]
fn calls_from_closures() {
    let session = open_session(&tiny());
    let (mut seq, mut other, mut foreign) = (session.new_seq().unwrap(), session.new_seq().unwrap(), tiny_seq());
    let prompt = random_prompt(1, 4);
    let run = seq.spec_decode_with(&prompt, &max_new(3), None, |_| {
        fails(other.spec_decode(&prompt, &max_new(2), None), Status::Busy, "session");
        fails(session.info(), Status::Busy, "session");
        foreign.spec_decode(&prompt, &max_new(2), None).unwrap();
        Flow::Stop
    });
    assert_eq!(run.unwrap().stats().stop, Some(StopReason::Cancelled));
}
