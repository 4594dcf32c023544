#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds the peer of the benchmarks, llama.cpp, from the source package of llama-cpp-python, into the directory given (default
# build-peer/). Needs cmake, ninja and python3-pip. Nothing of it becomes part of nxs.
set -eu
package=llama-cpp-python==0.3.36
sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
out=${1:-$(cd "$(dirname "$0")/../.." && pwd)/build-peer}
[ -x "$out/bin/llama-bench" ] && [ -x "$out/bin/llama-lookup" ] && { echo "$out/bin"; exit 0; }
mkdir -p "$out/source"
python3 -m pip download --quiet --no-deps --no-binary :all: --no-build-isolation --dest "$out" "$package" >&2
echo "$sha256  $out/llama_cpp_python-0.3.36.tar.gz" | sha256sum --check --status || { echo "the package's sha256 is wrong" >&2; exit 1; }
tar -xzf "$out/llama_cpp_python-0.3.36.tar.gz" -C "$out/source" --strip-components=1
cmake -G Ninja -S "$out/source/vendor/llama.cpp" -B "$out" -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF \
  -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF >&2
ninja -C "$out" llama llama-bench llama-batched-bench llama-lookup llama-quantize llama-completion >&2
echo "$out/bin"
