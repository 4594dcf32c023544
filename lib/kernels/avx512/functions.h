// SPDX-License-Identifier: Apache-2.0 OR MIT
// The kernels of this folder besides the matmuls, compiled for AVX-512 (F, BW, DQ, VL); table.cpp puts them into the
// table. What each one computes is said at the table's member of the same name (kernels.h).
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels::avx512 {

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

}  // namespace nxs::kernels::avx512
