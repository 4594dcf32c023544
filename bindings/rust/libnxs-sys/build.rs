// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds libnxs through pkg-config; users of this crate get `DEP_NXS_INCLUDE`, the folder of nxs.h.
use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    let wanted = env!("CARGO_PKG_VERSION");
    match pkg_config::Config::new().atleast_version(wanted).probe("nxs") {
        Ok(library) => {
            let include = library.include_paths.first().cloned();
            let include = include.unwrap_or_else(|| "/usr/include".into());
            println!("cargo:include={}", include.display());
            println!("cargo:rustc-env=NXS_INCLUDE={}", include.display());
        }
        Err(error) => {
            eprintln!("libnxs {wanted} or newer was not found; is nxs.pc in PKG_CONFIG_PATH?\n{error}");
            std::process::exit(1);
        }
    }
}
