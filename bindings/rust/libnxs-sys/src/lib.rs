// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `nxs.h` declares, made by bindgen. The header is the manual: conventions, ownership, threads, errors. The crate
//! `libnxs` is the safe way to use it.
#![no_std]
#![allow(non_camel_case_types, missing_docs)]

mod bindings;
pub use bindings::*;
