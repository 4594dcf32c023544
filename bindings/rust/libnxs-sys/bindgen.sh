#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: bindgen.sh HEADER >src/bindings.rs: makes the committed bindings anew. Another version of bindgen may write the same in other words,
# so this one only (cargo install bindgen-cli --version 0.73.2 --locked); it needs libclang and rustfmt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wanted=0.73.2
[ "$(bindgen --version)" = "bindgen $wanted" ] || { echo "bindgen $wanted is wanted" >&2; exit 1; }
bindgen "$1" --rust-target 1.77 --rust-edition 2021 --use-core --no-doc-comments --sort-semantically --merge-extern-blocks \
  --allowlist-item '(nxs|NXS)_.*' --blocklist-item NXS_H --with-derive-default --with-derive-partialeq \
  --rustfmt-configuration-file "$here/../rustfmt.toml" \
  --raw-line '// SPDX-License-Identifier: Apache-2.0 OR MIT' --raw-line '// bindgen.sh makes this file; do not edit it.'
