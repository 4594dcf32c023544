// SPDX-License-Identifier: Apache-2.0 OR MIT
// The matmuls of this folder, compiled for AVX2, FMA and F16C; table.cpp puts them into the table by tensor::DType.
// What each one computes is said at MatmulFn (kernels.h).
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels::avx2 {

MatmulFn matmul_f32, matmul_f16, matmul_bf16, matmul_q8_0, matmul_q4_0, matmul_q4_1, matmul_q5_0, matmul_q5_1,
    matmul_q4_k, matmul_q5_k, matmul_q6_k;

}  // namespace nxs::kernels::avx2
