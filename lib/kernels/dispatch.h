// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which table runs on this CPU. Tables are filled reference-first, so a missing kernel falls back to its definition.
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {

/// The table for `isa`, or NULL when this build or CPU lacks it. kBest never fails. kReference is the FMA build of ref
/// where the CPU has it, else the portable one: same source, same bits. Pure: the CPU is asked on each call.
const Kernels* table(Isa isa);
/// The portable build of ref, for tests.
const Kernels* portable_table();
/// "reference", "avx2", ...; also of those that are not built.
const char* isa_name(Isa isa);

/// cos and sin of position * frequency[i] (freq_scale 1/linear factor), i < head_dim / 2, by polynomials in double,
/// rounded once to float. `freq` is from rope_frequencies.
void rope_angles(float* c, float* s, const double* freq, size_t n_pairs, int64_t position);
/// freq[i] = base^(-2i / n_dims) * scale / (factors ? factors[i] : 1), by our own log2 and exp2 in double.
void rope_frequencies(double* freq, size_t n_pairs, double base, double scale, const float* factors);

}  // namespace nxs::kernels
