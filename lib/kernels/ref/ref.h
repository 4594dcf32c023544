// SPDX-License-Identifier: Apache-2.0 OR MIT
// The definitions: one function for each member of Kernels, whose contract stands in kernels.h. This folder is compiled
// twice, as NXS_REF_NAMESPACE = ref_portable for any CPU and = ref_fma with -mavx2 -mfma -mf16c, where fma is an
// instruction. Contraction is off and no sum may be reassociated, so both give the same bits. Files for an ISA fall
// back to ref_fma.
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

MatmulFn matmul_f32, matmul_f16, matmul_bf16, matmul_q8_0, matmul_q4_0, matmul_q4_1, matmul_q5_0, matmul_q5_1,
    matmul_q4_k, matmul_q5_k, matmul_q6_k;

void rms_norm(float* y, const float* x, const float* w, size_t n, float eps);
bool quantize(int8_t* q, float* d, int32_t* sum, const float* x, size_t n);
bool quantize_k(int8_t* q, float* d, int16_t* sum, const float* x, size_t n);
uint32_t pack_panel(float* panel, const float* x, size_t ldx, size_t rows, size_t k);
void rotate(float* x, const float* c, const float* s, size_t n_heads, size_t head_dim, float scale);
bool store_kv(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v, size_t head_dim,
              bool f32, bool zero);
void attend(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n_queries);
void attend_merge(float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n);
void attend_finish(float* out, const float* o, float l, size_t n);
void gate(float* g, const float* u, size_t n);
void add(float* x, const float* y, size_t n);
bool argmax(size_t* index, float* value, const float* x, size_t n);
void exp(float* y, const float* x, size_t n);

/// What every table starts from; evaluated by the compiler only.
consteval Kernels table() {
  return {.isa = Isa::kReference,
          .name = "reference",
          .matmul = {matmul_f32, matmul_f16, matmul_bf16, matmul_q8_0, matmul_q4_0, matmul_q4_1, matmul_q5_0,
                     matmul_q5_1, matmul_q4_k, matmul_q5_k, matmul_q6_k},
          .rms_norm = rms_norm,
          .quantize = quantize,
          .quantize_k = quantize_k,
          .pack_panel = pack_panel,
          .rotate = rotate,
          .store_kv = store_kv,
          .attend = attend,
          .attend_merge = attend_merge,
          .attend_finish = attend_finish,
          .gate = gate,
          .add = add,
          .argmax = argmax,
          .exp = exp};
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
