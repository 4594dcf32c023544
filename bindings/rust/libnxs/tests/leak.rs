// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Opening and closing leaks nothing. Alone in its file, so in its process.
mod common;
use common::*;
use libnxs::*;

/// Resident memory of this process in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn cycle(turn: u32) {
    let model = tiny();
    let params = SessionParams { n_threads: 1 + turn % 2, kv_tokens: 256, ..Default::default() };
    let session = Session::open(&model, &params).unwrap();
    let mut seq = session.new_seq().unwrap();
    let mut drafter = Drafter::custom(4, |_, _| Ok(0)).unwrap();
    let result = seq.spec_decode(&random_prompt(1, 5), &max_new(3), Some(&mut drafter)).unwrap();
    let vote = seq.vote(VoteMode::Batched, &[], &max_new(2), &VoteParams::default()).unwrap();
    let mut stream = seq.stream(&[], &max_new(3), Some(&mut drafter)).unwrap();
    stream.next().unwrap().unwrap();
    if turn % 3 == 0 {
        drop(model);
        drop(session);
    }
    drop(stream);
    drop((result, vote));
}

#[test]
fn a_thousand_cycles() {
    (0..1000).for_each(cycle);
    let before = resident();
    (0..1000).for_each(cycle);
    let after = resident();
    println!("resident: {before} KiB, after 1,000 more cycles {after} KiB");
    assert!(after - before < 512, "resident memory grew from {before} to {after} KiB");
}
