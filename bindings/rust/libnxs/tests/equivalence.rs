// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plain equals speculative equals streamed; reset equals paged equals batched; by tokens and receipts.
mod common;
use common::*;
use libnxs::{Drafter, Input, LookupParams, Session, SessionParams, VoteMode, VoteParams};

fn drafters() -> Vec<Option<Drafter>> {
    let eager = LookupParams { draft_max: 8, ngram_max: 4, ngram_min: 1, adaptive: false, ..Default::default() };
    let none = LookupParams { draft_max: 0, ..Default::default() };
    let guess = |context: &[i32], draft: &mut [i32]| {
        let n = draft.len().min(context.len() / 2);
        draft[..n].copy_from_slice(&context[..n]);
        Ok(n)
    };
    let lookup = |params| Some(Drafter::lookup(params).unwrap());
    vec![None, lookup(&eager), lookup(&none), Some(Drafter::custom(5, guess).unwrap())]
}

#[test]
fn plain_equals_speculative() {
    for (model, prompts) in models() {
        let one = SessionParams { n_threads: 1, prefill_chunk: 64, ..Default::default() };
        let sessions = [open_session(&model), Session::open(&model, &one).unwrap()];
        for (prompt, params) in prompts.iter().flat_map(|prompt| settings(&model).map(|params| (prompt, params))) {
            let plain = sessions[0].new_seq().unwrap().plain_decode(prompt, &params).unwrap();
            for mut drafter in drafters() {
                for session in &sessions {
                    let mut seq = session.new_seq().unwrap();
                    let spec = seq.spec_decode(prompt, &params, drafter.as_mut()).unwrap();
                    same(&plain, &spec);
                    assert_eq!(seq.len(), prompt.len() + spec.tokens().len());
                    assert_eq!(seq.tokens().unwrap(), [prompt, spec.tokens()].concat());
                }
            }
        }
    }
}

#[test]
fn streamed_equals_plain() {
    for (model, prompts) in models() {
        let session = open_session(&model);
        for prompt in &prompts {
            let params = settings(&model)[0];
            let plain = session.new_seq().unwrap().plain_decode(prompt, &params).unwrap();
            let mut drafters = drafters();
            for drafter in &mut drafters {
                let mut seq = session.new_seq().unwrap();
                let mut stream = seq.stream(prompt, &params, drafter.as_mut()).unwrap();
                let (mut text, mut tokens) = (Vec::new(), Vec::new());
                for event in &mut stream {
                    let event = event.unwrap();
                    text.extend_from_slice(&event.text);
                    tokens.extend(event.token);
                }
                same(&plain, &stream.result().unwrap());
                assert_eq!((text.as_slice(), tokens.as_slice()), (plain.text(), plain.tokens()));
            }
        }
    }
}

#[test]
fn votes_are_equal() {
    for (model, prompts) in models() {
        let session = open_session(&model);
        let (prompt, params) = (&prompts[1], settings(&model)[1]);
        let votes = VoteParams { n_samples: 4, ..Default::default() };
        let vote = |mode| session.new_seq().unwrap().vote(mode, prompt, &params, &votes).unwrap();
        let batched = vote(VoteMode::Batched);
        assert_eq!(batched.n_samples(), 4);
        for other in [vote(VoteMode::Paged), vote(VoteMode::Reset)] {
            assert_eq!(batched.receipt(), other.receipt());
            assert!(batched.answers().eq(other.answers()));
            batched.samples().zip(other.samples()).for_each(|(a, b)| same(&a, &b));
        }
        for (i, sample) in batched.samples().enumerate() {
            let mut alone = params;
            alone.seed += i as i64 * votes.seed_stride;
            same(&session.new_seq().unwrap().plain_decode(prompt, &alone).unwrap(), &sample);
        }
    }
}

#[test]
fn forwards_equal_runs() {
    for (model, prompts) in models() {
        let session = open_session(&model);
        let (prompt, params) = (&prompts[0], settings(&model)[1]);
        let plain = session.new_seq().unwrap().plain_decode(prompt, &params).unwrap();
        let n_vocab = model.info().n_vocab as usize;
        let mut logits = vec![0.0; 2 * n_vocab];
        let (mut a, mut b) = (session.new_seq().unwrap(), session.new_seq().unwrap());
        let mut context = prompt.clone();
        for &token in plain.tokens() {
            let new = &context[a.len()..];
            let last: Vec<bool> = (0..new.len()).map(|j| j + 1 == new.len()).collect();
            let mut inputs =
                [Input { seq: &mut a, tokens: new, want: None }, Input { seq: &mut b, tokens: new, want: Some(&last) }];
            session.forward(&mut logits, &mut inputs).unwrap();
            for row in logits.chunks(n_vocab) {
                assert_eq!(model.sample(row, context.len() as i64, &context, &params).unwrap(), token);
            }
            context.push(token);
        }
    }
}
