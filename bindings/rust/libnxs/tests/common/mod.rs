// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the tests share.
#![allow(dead_code)]
use libnxs::{ChatFlags, Completion, DecodeParams, Error, Message, Model, Seq, Session, SessionParams, Status, Token};

/// Opens the model that an environment variable names.
fn named(variable: &str) -> Option<Model> {
    let path = std::env::var(variable).ok().filter(|path| !path.is_empty())?;
    Some(Model::open(path).unwrap())
}

pub fn tiny_path() -> String {
    std::env::var("NXS_TINY_MODEL").expect("NXS_TINY_MODEL names a tiny model (test.sh makes one)")
}

pub fn tiny() -> Model {
    Model::open(tiny_path()).unwrap()
}

/// Small pages and chunks, so that short prompts cross both.
pub fn small() -> SessionParams {
    SessionParams { n_threads: 2, page_tokens: 4, prefill_chunk: 7, ..Default::default() }
}

pub fn open_session(model: &Model) -> Session {
    Session::open(model, &small()).unwrap()
}

/// A sequence on a session and model of its own, which it keeps alive.
pub fn tiny_seq() -> Seq {
    open_session(&tiny()).new_seq().unwrap()
}

pub fn max_new(max_new: i64) -> DecodeParams {
    DecodeParams { max_new, ..Default::default() }
}

/// Reproducible; numbers differ, prompts differ.
pub fn random_prompt(number: u64, n: usize) -> Vec<Token> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % 300) as Token
    };
    (0..n).map(|_| next()).collect()
}

/// The tiny model and, where there is one, the real one, each with prompts: random tokens, chats.
pub fn models() -> Vec<(Model, Vec<Vec<Token>>)> {
    let mut list = vec![(tiny(), vec![random_prompt(1, 3), random_prompt(2, 40), random_prompt(3, 130)])];
    if let Some(model) = named("NXS_TEST_MODEL") {
        let texts = [
            "Repeat these words three times: red green blue yellow.",
            "A farmer has 17 sheep and buys 25 more. How many sheep has he?",
        ];
        let chat = |text| model.chat_format(&[Message::user(text)], ChatFlags::REPLY).unwrap();
        let prompts = texts.into_iter().map(chat).collect();
        list.push((model, prompts));
    }
    list
}

/// Greedy and sampled; short on a real model, whose time is the test's.
pub fn settings(model: &Model) -> [DecodeParams; 2] {
    let n = if model.info().weight_bytes > 1 << 24 { 16 } else { 48 };
    let sampled = DecodeParams { temperature: 0.8, top_k: 40, seed: 7, repeat_penalty: 1.1, ..max_new(n) };
    [max_new(n), sampled]
}

pub fn same(a: &Completion, b: &Completion) {
    assert_eq!(a.tokens(), b.tokens());
    assert_eq!(a.text(), b.text());
    assert_eq!(a.receipt(), b.receipt());
    assert_eq!(a.receipt().len(), 34);
    assert_eq!((a.stats().stop, a.stats().n_prompt), (b.stats().stop, b.stats().n_prompt));
}

pub fn fails<T>(result: Result<T, Error>, status: Status, word: &str) -> Error {
    let error = result.err().expect("the call should fail");
    assert_eq!(error.status(), status, "{error}");
    assert!(!error.message().is_empty() && error.message().contains(word), "{error} does not say {word}");
    assert!(error.to_string().contains(error.message()));
    error
}
