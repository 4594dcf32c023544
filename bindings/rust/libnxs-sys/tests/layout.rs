// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A C compiler and this crate see the same sizes, alignments, offsets and numbers in nxs.h.
use libnxs_sys as sys;
use std::mem::{align_of, offset_of, size_of};
use std::process::Command;

/// For each struct and field: the line that Rust expects, and the C statement that prints it.
macro_rules! layouts {
    ($($name:ident { $($field:ident),* })*) => {
        fn layouts() -> Vec<(String, String)> {
            let mut list = Vec::new();
            $(
                let name = stringify!($name);
                list.push((
                    format!("{name} {} {}", size_of::<sys::$name>(), align_of::<sys::$name>()),
                    format!("printf(\"{name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));"),
                ));
                $(
                    let field = stringify!($field);
                    list.push((
                        format!("{name}.{field} {}", offset_of!(sys::$name, $field)),
                        format!("printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));"),
                    ));
                )*
            )*
            list
        }
    };
}

layouts! {
    nxs_error { status, message }
    nxs_model_params { struct_size, n_threads, max_bytes }
    nxs_model_info {
        struct_size, n_vocab, n_layers, n_embd, n_heads, n_heads_kv, n_ctx, weight_bytes, kv_bytes_per_token,
        step_bytes
    }
    nxs_message { role, content, content_len }
    nxs_session_params {
        struct_size, n_threads, isa, kv_type, page_tokens, prefill_chunk, n_ctx, kv_tokens
    }
    nxs_session_info {
        struct_size, n_threads, isa, page_tokens, n_ctx, kv_tokens, kv_tokens_free, kv_tokens_peak, kv_bytes,
        scratch_bytes
    }
    nxs_decode_params {
        struct_size, flags, max_new, seed, temperature, top_p, min_p, top_k, repeat_penalty, repeat_last
    }
    nxs_lookup_params { struct_size, draft_max, ngram_max, ngram_min, adaptive, row_cost }
    nxs_event { struct_size, sample, index, token, flags, text, text_len, piece, piece_len }
    nxs_stats {
        struct_size, stop, n_prompt, n_reused, n_forwards, n_rows, n_drafted, n_accepted, n_emitted,
        prefill_seconds, decode_seconds, draft_seconds
    }
    nxs_vote_params {
        struct_size, n_samples, extractor, max_batch, seed_stride, flags, reserved
    }
}

/// The same for each constant in the bindings.
fn constants() -> Vec<(String, String)> {
    let text = include_str!("../src/bindings.rs");
    let lines = text.lines().filter_map(|line| line.strip_prefix("pub const "));
    let parts = lines.filter_map(|line| Some((line.split_once(": ")?.0, line.split_once(" = ")?.1)));
    parts
        .map(|(name, value)| {
            let value = value.trim_end_matches(';');
            (format!("{name} {value}"), format!("printf(\"{name} %lld\\n\", (long long){name});"))
        })
        .collect()
}

#[test]
fn layouts_and_numbers_are_those_of_c() {
    let mut all = layouts();
    assert!(all.len() > 70);
    all.extend(constants());
    assert!(all.len() > 130, "{} lines", all.len());
    let mut source = String::from("#include <nxs.h>\n#include <stdio.h>\nint main(void) {\n");
    for (_, statement) in &all {
        source += statement;
        source += "\n";
    }
    source += "return 0;\n}\n";
    let folder = std::env::temp_dir().join(format!("libnxs-sys-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join("layout.c"), folder.join("layout"));
    std::fs::write(&file, source).unwrap();
    let include = format!("-I{}", env!("NXS_INCLUDE"));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Werror", &include, "-o"]).arg(&program).arg(&file);
    assert!(compiler.status().unwrap().success());
    let output = Command::new(&program).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().count(), all.len());
    for (line, (expected, _)) in printed.lines().zip(&all) {
        assert_eq!(line, expected);
    }
}

#[test]
fn the_library_is_the_one_of_the_header() {
    // SAFETY: a static string.
    let version = unsafe { std::ffi::CStr::from_ptr(sys::nxs_version()) };
    let numbers = (sys::NXS_VERSION_MAJOR, sys::NXS_VERSION_MINOR, sys::NXS_VERSION_PATCH);
    assert_eq!(version.to_str().unwrap(), format!("{}.{}.{}", numbers.0, numbers.1, numbers.2));
    assert_eq!(env!("CARGO_PKG_VERSION"), version.to_str().unwrap());
}
