// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Panics in closures. Alone in its file, as it silences the report of panics for its process.
mod common;
use common::*;
use libnxs::{Drafter, Flow, Status, VoteMode, VoteParams};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The run panics with the closure's own payload.
fn panics<T>(run: impl FnOnce() -> T) {
    let payload = catch_unwind(AssertUnwindSafe(run)).err().expect("the panic goes on in the caller");
    assert_eq!(*payload.downcast_ref::<&str>().unwrap(), "mine");
}

#[test]
fn panics_go_on_in_the_caller() {
    std::panic::set_hook(Box::new(|_| ())); // they are meant
    let mut seq = tiny_seq();
    let (prompt, params) = (random_prompt(2, 9), max_new(20));
    let mut drafter = Drafter::custom(4, |_, _| panic!("mine")).unwrap();
    for mode in [VoteMode::Batched, VoteMode::Paged, VoteMode::Reset] {
        panics(|| seq.plain_decode_with(&prompt, &params, |_| panic!("mine")));
        panics(|| seq.spec_decode_with(&prompt, &params, None, |_| panic!("mine")));
        panics(|| seq.spec_decode(&prompt, &params, Some(&mut drafter)));
        panics(|| seq.spec_decode_with(&prompt, &params, Some(&mut drafter), |_| Flow::Continue));
        panics(|| seq.vote_with(mode, &prompt, &params, &VoteParams::default(), |_| panic!("mine")));
        let mut stream = seq.stream(&prompt, &params, Some(&mut drafter)).unwrap();
        panics(|| stream.by_ref().count());
        assert!(stream.next().is_none());
        fails(stream.next_event(), Status::Callback, "");
    }
    let _ = std::panic::take_hook();
    assert!(seq.is_empty());
    seq.spec_decode(&prompt, &params, None).unwrap();
}
