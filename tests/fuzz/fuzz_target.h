// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a fuzz target offers. libFuzzer calls the first; standalone_main.cpp, for compilers without libFuzzer and for
// `meson test`, calls all of them:
//   CXX=clang++ meson setup fuzzing -Db_sanitize=address,undefined -Db_lundef=false
//   then link a target without standalone_main.cpp and with -fsanitize=fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Must return 0; anything that is wrong ends the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace nxs::test {

/// Well-formed inputs to start from.
std::vector<std::vector<uint8_t>> fuzz_corpus();

}  // namespace nxs::test
