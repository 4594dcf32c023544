// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Usage: decode MODEL.gguf [QUESTION]. Asks a chat model and prints its answer, both ways of decoding compared.
use libnxs::{ChatFlags, Completion, DecodeParams, Message, Model, Session, SessionParams};
use std::process::ExitCode;

fn report(completion: &Completion) {
    let stats = completion.stats();
    let speed = stats.n_emitted as f64 / stats.decode_seconds;
    let receipt = completion.receipt();
    println!("{receipt}: {} tokens in {} forwards, {speed:.0} tokens/s", stats.n_emitted, stats.n_forwards);
}

fn run(path: &str, question: &str) -> libnxs::Result<()> {
    let model = Model::open(path)?;
    let session = Session::open(&model, &SessionParams::default())?;
    let prompt = model.chat_format(&[Message::user(question)], ChatFlags::REPLY)?;
    let params = DecodeParams { max_new: 128, ..Default::default() };
    let spec = session.new_seq()?.spec_decode(&prompt, &params, None)?;
    println!("{}", spec.text_lossy());
    report(&spec);
    let plain = session.new_seq()?.plain_decode(&prompt, &params)?;
    report(&plain);
    println!("same receipt: {}", plain.receipt() == spec.receipt());
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(path) = arguments.get(1) else {
        eprintln!("usage: decode MODEL.gguf [QUESTION]");
        return ExitCode::from(2);
    };
    match run(path, arguments.get(2).map_or("List the planets.", String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
