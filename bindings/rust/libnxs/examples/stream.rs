// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Usage: stream MODEL.gguf [QUESTION]. Prints the answer as it comes; the return key ends it and keeps what was said.
use libnxs::{ChatFlags, DecodeParams, Message, Model, Session, SessionParams};
use std::io::{stdin, stdout, Write};
use std::process::ExitCode;

fn run(path: &str, question: &str) -> libnxs::Result<()> {
    let model = Model::open(path)?;
    let session = Session::open(&model, &SessionParams::default())?;
    let mut seq = session.new_seq()?;
    let prompt = model.chat_format(&[Message::user(question)], ChatFlags::REPLY)?;
    let cancel = session.cancel_handle();
    std::thread::spawn(move || {
        if stdin().read_line(&mut String::new()).is_ok_and(|n| n > 0) {
            cancel.cancel();
        }
    });
    let mut stream = seq.stream(&prompt, &DecodeParams::default(), None)?;
    while let Some(event) = stream.next_event()? {
        print!("{}", event.text_lossy());
        let _ = stdout().flush();
    }
    let result = stream.result()?;
    println!("\n{} ({:?})", result.receipt(), result.stats().stop);
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(path) = arguments.get(1) else {
        eprintln!("usage: stream MODEL.gguf [QUESTION]");
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
