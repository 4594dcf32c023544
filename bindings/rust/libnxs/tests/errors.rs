// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Wrong arguments are errors with the library's message, and change nothing.
mod common;
use common::*;
use libnxs::*;

#[test]
fn models_that_cannot_be_opened() {
    fails(Model::open("/no/such/model.gguf"), Status::Io, "/no/such/model.gguf");
    fails(Model::open("a\0b"), Status::Argument, "path");
    let data = b"GGUF\x03\0\0\0 and more that is none";
    fails(Model::from_bytes(data, &ModelParams::default()), Status::Format, "");
    assert!(Model::from_bytes(&[], &ModelParams::default()).is_err());
    let small = ModelParams { max_bytes: 1, ..Default::default() };
    fails(Model::open_with(tiny_path(), &small), Status::Memory, "1");
    let many = ModelParams { n_threads: 5000, ..Default::default() };
    fails(Model::open_with(tiny_path(), &many), Status::Argument, "n_threads");
}

#[test]
fn models() {
    let model = tiny();
    let info = model.info();
    assert!(info.n_vocab > 0 && info.n_layers > 0 && info.n_ctx > 0 && info.weight_bytes > 0);
    assert_eq!(model.string("general.architecture").as_deref(), Some("llama"));
    assert_eq!(model.string("no.such.key"), None);
    assert_eq!(model.string("a\0b"), None);
    assert!(model.notes().count() < 100);
    let copy = Model::from_bytes(&std::fs::read(tiny_path()).unwrap(), &ModelParams::default()).unwrap();
    assert_eq!(copy.digest(), model.digest());
    assert_eq!(model.digest().len(), 32);
    for text in ["", "hello", &"long and longer ".repeat(300), "é\0🦙"] {
        let tokens = model.tokenize(text, TextFlags::NONE).unwrap();
        assert_eq!(model.detokenize(&tokens, TextFlags::NONE).unwrap(), text.as_bytes());
    }
    assert_eq!(model.tokenize_lossy("abc", TextFlags::NONE).unwrap().1, 0);
    fails(model.tokenize("a", TextFlags::from_bits(1 << 30)), Status::Unsupported, "flags");
    fails(model.detokenize(&[-5], TextFlags::NONE), Status::Argument, "-5");
    let end = model.tokenize("<|im_end|>", TextFlags::SPECIAL | TextFlags::BOS).unwrap();
    assert!(model.is_stop(*end.last().unwrap()) && !model.is_stop(-1));
    let chat = model.chat_format(&[Message::system(""), Message::user("a\0b")], ChatFlags::REPLY).unwrap();
    assert!(chat.len() > 4);
    fails(model.chat_format(&[Message { role: "u\0", content: "" }], ChatFlags::NONE), Status::Argument, "role");
    assert!(model.chat_format(&[], ChatFlags::from_bits(1 << 30)).is_err());
    fails(model.sample(&[0.0; 3], 0, &[], &max_new(1)), Status::Argument, "logits");
}

#[test]
fn arguments() {
    let model = tiny();
    let wrong = SessionParams { page_tokens: 3, ..Default::default() };
    fails(Session::open(&model, &wrong), Status::Argument, "page_tokens");
    let session = open_session(&model);
    let mut seq = session.new_seq().unwrap();
    let (prompt, params) = (random_prompt(1, 3), DecodeParams::default());
    fails(seq.spec_decode(&[], &params, None), Status::Argument, "");
    fails(seq.spec_decode(&[-1], &params, None), Status::Argument, "-1");
    let hot = DecodeParams { temperature: f32::NAN, ..params };
    fails(seq.plain_decode(&prompt, &hot), Status::Argument, "temperature");
    fails(seq.spec_decode(&random_prompt(1, 5000), &params, None), Status::Context, "5000");
    let none = VoteParams { n_samples: 0, ..Default::default() };
    fails(seq.vote(VoteMode::Batched, &prompt, &params, &none), Status::Argument, "n_samples");
    fails(seq.truncate(1), Status::Argument, "length");
    fails(seq.fork_at(9), Status::Argument, "length");
    fails(seq.fork_at(usize::MAX), Status::Argument, "length");
    fails(Drafter::custom(1000, |_, _| Ok(0)), Status::Argument, "draft_max");
    fails(Drafter::lookup(&LookupParams { draft_max: 999, ..Default::default() }), Status::Argument, "draft_max");
    let mut logits = vec![0.0; model.info().n_vocab as usize];
    let mut forward = |n: usize, tokens: &[Token], want: Option<&[bool]>| {
        session.forward(&mut logits[..n], &mut [Input { seq: &mut seq, tokens, want }])
    };
    fails(forward(3, &[1], None), Status::Buffer, "3");
    fails(forward(320, &[], None), Status::Argument, "");
    fails(forward(320, &[1], Some(&[])), Status::Argument, "want");
    fails(session.forward(&mut [], &mut []), Status::Argument, "");
    let mut foreign = [Input { seq: &mut tiny_seq(), tokens: &[1], want: None }];
    fails(session.forward(&mut logits, &mut foreign), Status::Argument, "session");
    assert!(seq.is_empty());
}

#[test]
fn a_full_pool() {
    let params = SessionParams { n_threads: 1, page_tokens: 4, kv_tokens: 16, ..Default::default() };
    let session = Session::open(&tiny(), &params).unwrap();
    let mut seq = session.new_seq().unwrap();
    fails(seq.spec_decode(&random_prompt(1, 40), &max_new(3), None), Status::KvFull, "40");
    let info = session.info().unwrap();
    assert_eq!((info.kv_tokens, info.kv_tokens_free, info.n_threads, info.page_tokens), (16, 16, 1, 4));
    assert_ne!(info.isa, Isa::Best);
}

#[test]
fn sequences() {
    let mut seq = tiny_seq();
    let prompt = random_prompt(4, 30);
    let whole = seq.spec_decode(&prompt, &max_new(10), None).unwrap();
    let mut fork = seq.fork_at(30).unwrap();
    assert_eq!(fork.plain_decode(&[], &max_new(10)).unwrap().tokens(), whole.tokens());
    assert_eq!(seq.fork().unwrap().len(), 40);
    fork.truncate(30).unwrap();
    let first = fork.spec_decode(&[], &max_new(1), None).unwrap();
    let mut other = tiny_seq();
    other.add_stop(first.text()).unwrap();
    let stopped = other.spec_decode(&prompt, &max_new(10), None).unwrap();
    assert_eq!((stopped.stats().stop, stopped.text()), (Some(StopReason::Text), &b""[..]));
    let scored = DecodeParams { flags: DecodeFlags::LOGPROBS | DecodeFlags::IGNORE_STOP, ..max_new(5) };
    let scored = other.spec_decode(&prompt, &scored, None).unwrap();
    assert_eq!((scored.logprobs().len(), scored.drafted().len()), (scored.tokens().len(), scored.tokens().len()));
}

#[test]
fn answers() {
    let none = VoteParams { n_samples: 4, extractor: Extractor::None, ..Default::default() };
    let mut vote = tiny_seq().vote(VoteMode::Batched, &random_prompt(3, 9), &max_new(3), &none).unwrap();
    fails(vote.winner_i64(), Status::NoAnswer, "");
    assert!(vote.winner().is_none() && vote.sample(4).is_none() && vote.sample(usize::MAX).is_none());
    for (i, answer) in ["5", "7", "5", "7"].into_iter().enumerate() {
        vote.set_answer(i, Some(answer)).unwrap();
    }
    assert_eq!((vote.winner_i64().unwrap(), vote.is_tie(), vote.n_skipped()), (5, true, 0));
    vote.set_answer(0, None).unwrap();
    let answers: Vec<_> = vote.answers().map(|(answer, n)| (answer.into_owned(), n)).collect();
    assert_eq!(answers, [("7".to_string(), 2), ("5".to_string(), 1)]);
    assert_eq!((vote.sample_answer(0), vote.sample_answer(1).as_deref()), (None, Some("7")));
    (0..4).for_each(|i| vote.set_answer(i, Some("9223372036854775808")).unwrap());
    fails(vote.winner_i64(), Status::Range, "9223372036854775808");
    fails(vote.set_answer(4, Some("1")), Status::Argument, "sample");
    fails(vote.set_answer(usize::MAX, Some("1")), Status::Argument, "sample");
    fails(vote.set_answer(0, Some("\0")), Status::Argument, "answer");
}

#[test]
fn names() {
    assert_eq!(Status::KvFull.to_string(), "NXS_ERR_KV_FULL");
    assert_eq!(Status::from_code(Status::Busy.code()), Status::Busy);
    assert_eq!(Status::from_code(-999), Status::Other(-999));
    assert!(!Status::Other(-999).to_string().is_empty());
    assert!(build_info().starts_with('{'));
    fails(selftest(99), Status::Argument, "level");
}
