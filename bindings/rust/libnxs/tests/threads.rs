// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Threads, cancelling, and what may outlive what.
mod common;
use common::*;
use libnxs::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn send_and_sync<T: Send + Sync>() {}

#[test]
fn handles_may_move_between_threads() {
    send_and_sync::<Model>();
    send_and_sync::<Session>();
    send_and_sync::<CancelHandle>();
    send_and_sync::<Seq>();
    send_and_sync::<Drafter>();
    send_and_sync::<Stream<'static>>();
    send_and_sync::<Completion>();
    send_and_sync::<Vote>();
    send_and_sync::<Error>();
}

#[test]
fn eight_threads_share_a_model() {
    for (model, prompts) in models() {
        let prompt = &prompts[1];
        let decode = || {
            let params = SessionParams { n_threads: 1, ..Default::default() };
            let mut seq = Session::open(&model, &params).unwrap().new_seq().unwrap();
            seq.spec_decode(prompt, &max_new(16), None).unwrap().receipt().into_owned()
        };
        let want = decode();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| [decode(), decode()])).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), [want.clone(), want.clone()]);
            }
        });
    }
}

#[test]
fn one_session_from_many_threads() {
    let model = tiny();
    for _ in 0..20 {
        let session = open_session(&model);
        std::thread::scope(|scope| {
            for i in 0..8 {
                let (session, cancel) = (&session, session.cancel_handle());
                scope.spawn(move || {
                    for _ in 0..5 {
                        if i % 2 == 0 {
                            cancel.cancel();
                        } else {
                            cancel.reset();
                        }
                        let run = session
                            .new_seq()
                            .and_then(|mut seq| seq.spec_decode(&random_prompt(i, 4), &max_new(4), None));
                        assert!(run.is_ok() || run.is_err_and(|error| error.status() == Status::Busy));
                    }
                });
            }
        });
    }
}

fn endless() -> DecodeParams {
    DecodeParams { flags: DecodeFlags::IGNORE_STOP, ..max_new(-1) }
}

#[test]
fn cancelling() {
    let session = open_session(&tiny());
    let mut seq = session.new_seq().unwrap();
    let cancel = session.cancel_handle();
    cancel.cancel();
    let run = seq.spec_decode(&random_prompt(1, 4), &endless(), None).unwrap();
    assert_eq!((run.stats().stop, run.tokens().len(), seq.len()), (Some(StopReason::Cancelled), 0, 0));
    let mut row = vec![0.0; 320];
    let mut inputs = [Input { seq: &mut seq, tokens: &[1], want: None }];
    fails(session.forward(&mut row, &mut inputs), Status::Cancelled, "");
    cancel.reset();

    let begun = AtomicBool::new(false);
    let other = cancel.clone();
    let run = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !begun.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            other.cancel();
        });
        seq.plain_decode_with(&random_prompt(1, 4), &endless(), |_| {
            begun.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_micros(100));
            Flow::Continue
        })
    });
    assert_eq!(run.unwrap().stats().stop, Some(StopReason::Cancelled));
    cancel.reset();

    // A sequence keeps what its cancel handle needs, the handle keeps nothing.
    drop(session);
    let run = seq.spec_decode_with(&random_prompt(1, 4), &endless(), None, |event| {
        if event.index == 5 {
            cancel.cancel();
        }
        Flow::Continue
    });
    assert_eq!(run.unwrap().stats().stop, Some(StopReason::Cancelled));
    drop(seq);
    cancel.cancel();
}

#[test]
fn cancelled_streams() {
    let session = open_session(&tiny());
    let mut seq = session.new_seq().unwrap();
    let mut stream = seq.stream(&random_prompt(1, 4), &endless(), None).unwrap();
    assert_eq!(stream.by_ref().take(7).filter(Result::is_ok).count(), 7);
    let so_far = stream.result().unwrap();
    assert_eq!((so_far.tokens().len(), so_far.stats().stop), (6, None));
    session.cancel_handle().cancel();
    let last = stream.by_ref().last().unwrap().unwrap();
    assert_eq!((last.flags, last.token), (EventFlags::END, None));
    assert!(stream.next().is_none() && stream.next_event().unwrap().is_none());
    assert_eq!(stream.result().unwrap().stats().stop, Some(StopReason::Cancelled));
    drop(stream);
    assert_eq!(seq.len(), 10);
    session.cancel_handle().reset();
    seq.spec_decode(&[], &max_new(2), None).unwrap();
}

#[test]
fn outliving() {
    let mut seq = {
        let model = tiny();
        let session = open_session(&model);
        session.new_seq().unwrap()
    };
    let result = seq.spec_decode(&random_prompt(1, 5), &max_new(3), None).unwrap();
    let vote = seq.vote(VoteMode::Batched, &[], &DecodeParams::for_votes(), &VoteParams::default()).unwrap();
    let fork = seq.fork().unwrap();
    drop(seq);
    assert_eq!(fork.len(), 8);
    drop(fork);
    assert_eq!((result.tokens().len(), vote.n_samples()), (3, 8));
    assert_eq!(vote.sample(7).unwrap().receipt().len(), 34);
    // A stream that is forgotten leaves its sequence in use, and nothing else.
    let mut seq = tiny_seq();
    std::mem::forget(seq.stream(&random_prompt(1, 5), &max_new(3), None).unwrap());
    fails(seq.truncate(0), Status::Busy, "stream");
}
