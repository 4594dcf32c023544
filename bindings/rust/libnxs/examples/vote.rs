// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Usage: vote MODEL.gguf [QUESTION]. Draws 16 answers at once and prints the votes.
use libnxs::{ChatFlags, DecodeParams, Message, Model, Session, SessionParams, Status, VoteMode, VoteParams};
use std::process::ExitCode;

fn run(path: &str, question: &str) -> libnxs::Result<()> {
    let model = Model::open(path)?;
    let session = Session::open(&model, &SessionParams::default())?;
    let prompt = model.chat_format(&[Message::user(question)], ChatFlags::REPLY)?;
    let params = DecodeParams { max_new: 64, ..DecodeParams::for_votes() };
    let votes = VoteParams { n_samples: 16, early: true, ..Default::default() };
    let vote = session.new_seq()?.vote(VoteMode::Batched, &prompt, &params, &votes)?;
    for (answer, n) in vote.answers() {
        println!("{n:3}  {answer}");
    }
    match vote.winner_i64() {
        Ok(winner) => println!("winner: {winner}"),
        Err(error) if error.status() == Status::NoAnswer => println!("no answer"),
        Err(error) => return Err(error),
    }
    println!("{}", vote.receipt());
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(path) = arguments.get(1) else {
        eprintln!("usage: vote MODEL.gguf [QUESTION]");
        return ExitCode::from(2);
    };
    match run(path, arguments.get(2).map_or("What is 17 + 25?", String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
