// SPDX-License-Identifier: Apache-2.0 OR MIT
// The floating-point control word (MXCSR and the x87 unit's, FPCR). Compilers move arithmetic across the instruction
// that sets it, so both calls are out of line, and the work runs behind a pointer.
#pragma once

#include <cstdint>

namespace nxs {

/// Runs work(arg, caller_word) with round-to-nearest, denormals kept and all exceptions masked; the caller's word is
/// back afterwards. `work` must not throw.
void run_canonical(void (*work)(void* arg, uint64_t caller_word), void* arg) noexcept;
/// Runs work(arg) with `word` (the caller's, for callbacks), then restores the canonical state.
void run_with_word(uint64_t word, void (*work)(void* arg), void* arg);
/// For worker threads, once at their start.
void set_canonical_word();

}  // namespace nxs
