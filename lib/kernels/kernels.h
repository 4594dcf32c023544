// SPDX-License-Identifier: Apache-2.0 OR MIT
// Every number that the engine computes, as a table of functions. Each entry has one definition, a plain loop in ref/
// under the same file stem; every other instruction set returns the same bits. Pure loops on raw pointers: no
// allocation, no threads, no exceptions. All arithmetic is binary32, round to nearest even, in the written order; `fma`
// stands only where a definition says so. Rows given as pointers are aligned to 64 bytes where "aligned" is said; n is
// a multiple of 16 unless said otherwise.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/packed.h"

namespace nxs::kernels {

enum class Isa : uint32_t {
  kBest = 0,
  kReference = 1,
  kAvx2 = 2,
  kAvx512 = 3,
  kNeon = 4
};  // NXS_ISA_* of the public header

inline constexpr size_t kPanel = 8;    ///< rows of activations that float matmuls take side by side
inline constexpr size_t kChunk = 256;  ///< keys of an attention chunk, terms of a float partial sum
inline constexpr size_t kTile = 16;    ///< keys of a K tile
inline constexpr size_t kMaxHeadDim = 256;

/// The input of one matrix: m rows of k values, in the form that the weights' format multiplies.
struct Activations {
  size_t m, k;
  /// Float formats: panels of kPanel rows (the last has m % kPanel, if that is not 0), each [k][rows of the panel];
  /// panel i starts at x + i * kPanel * k.
  const float* x;
  /// Quantised formats: q [m][k] within -127..127, d and sum (the exact sum of the block's q) [m][k / 32].
  const int8_t* q;
  const float* d;
  const int32_t* sum;
  /// K formats, whose blocks have 256 values: kq [m][k], kd [m][k / 256], and the exact sums of each 16 q, ksum [m][k /
  /// 16].
  const int8_t* kq = nullptr;
  const float* kd = nullptr;
  const int16_t* ksum = nullptr;
};

/// y[r * ldy + o] for r < x.m and o in rows [16 * g0, 16 * g1) of w; ldy >= 16 * w.groups(); y aligned, ldy a multiple
/// of 16. With `add`, y = y + dot; else y = dot. Float formats: sum = 0; for each 256 consecutive k: a = 0; a =
/// fma(w[k], x[k], a) ascending; sum = sum + a. dot = sum. Quantised: acc = 0; blocks ascending: acc = fma(dw * dx,
/// float(isum), acc), isum = exact sum of w's integers times q;
///   Q4_1, Q5_1 then acc = fma(mw, dx * float(sum), acc). dot = acc.
/// K formats: per block of 256 isum = sum over sub-blocks of scale * (sum of w's integers times kq), imin = sum over
/// sub-blocks of minimum * (sum of kq), both exact; acc = fma(d * dx, float(isum), acc); Q4_K, Q5_K then acc =
/// fma(-(dmin
/// * dx), float(imin), acc). Sub-blocks have 32 values; of Q6_K 16.
/// Padding rows (o >= w.rows) may be written with anything finite.
using MatmulFn = void(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                      bool add);

/// 16 keys: k is [head_dim][16], v is [16][head_dim_padded] (padded to a multiple of 16 with zeros), F16 or F32. All
/// finite.
struct KvTile {
  const void* k;
  const void* v;
};

/// Attention of n_queries query vectors over one chunk: keys j = 0..255 at absolute positions 256c + j. Its first
/// n_tiles tiles are all queries'; what a query sees beyond them it brings along.
struct AttentionChunk {
  const KvTile* tiles;
  size_t n_tiles;
  size_t head_dim;  ///< even, at most kMaxHeadDim
  bool f32;         ///< tiles hold F32, else F16
  float* scratch;   ///< aligned; attention_scratch_floats() of them, one per thread
  /// Optional, changes no result: the first n_next (up to 4) tiles of the chunk that this thread will read next. Their
  /// keys are fetched into the cache meanwhile.
  const KvTile* next = nullptr;
  size_t n_next = 0;
};

/// One query and its partial result over one chunk. State of several chunks merges with attention_merge.
struct AttentionQuery {
  const float* q;   ///< [head_dim], rotated and scaled
  uint32_t n_keys;  ///< it sees keys 0..n_keys-1 of the chunk; 1..256
  float* m;         ///< out: exact maximum of the scores
  float* l;         ///< out: sum of e
  float* o;         ///< out: [head_dim padded to 16], aligned
  /// Its tiles from the chunk's n_tiles on, where n_keys goes beyond those. Neighbouring queries with the same pointer
  /// are read together.
  const KvTile* own = nullptr;
};

struct Kernels {
  Isa isa;
  const char* name;  ///< "reference", "avx2", "avx512"

  MatmulFn* matmul[tensor::kDTypes];

  /// 16 partial sums p[i % 16] = fma(x, x, p) ascending; tree 8, 4, 2, 1 (p[i] = p[i] + p[i + 8], ...); r = 1 /
  /// sqrt(p[0] / n + eps); y = (x * r) * w. n as a float.
  void (*rms_norm)(float* y, const float* x, const float* w, size_t n, float eps);

  /// Per block of 32: amax = unsigned maximum of bits & 0x7fffffff; amax < 2^-100 or a non-finite value: d = 0, q = 0;
  /// else d = amax / 127, q = rint(x * (127 / amax)). sum = sum of q. Returns false when any value of the row is not
  /// finite.
  bool (*quantize)(int8_t* q, float* d, int32_t* sum, const float* x, size_t n);

  /// The same per block of 256, n a multiple of 256; sum is that of each 16 q.
  bool (*quantize_k)(int8_t* q, float* d, int16_t* sum, const float* x, size_t n);

  /// Transposes `rows` <= kPanel rows of k values (x, stride ldx) into a panel [k][rows]. Returns a bit set of the rows
  /// that hold a non-finite value (bit r).
  uint32_t (*pack_panel)(float* panel, const float* x, size_t ldx, size_t rows, size_t k);

  /// Rotates n_heads heads of head_dim (even, any) values in place, pairs (2i, 2i+1): x' = fma(x, c, -(y * s)), y' =
  /// fma(x, s, y * c), c and s [head_dim / 2]; then both times scale.
  void (*rotate)(float* x, const float* c, const float* s, size_t n_heads, size_t head_dim, float scale);

  /// Writes one key (lane `lane` of a tile of `lanes` <= 16 keys: k_tile[d * lanes + lane]) and one value row (padding
  /// left alone) as F16 (round to nearest even) or F32. When any converted value is not finite, writes +0 everywhere
  /// and returns false; `zero` asks for +0 outright.
  bool (*store_kv)(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v,
                   size_t head_dim, bool f32, bool zero);

  /// For each query: scores s_j = float dot (k ascending, as matmul) of q and key j; m = max s_j; e_j = exp(s_j - m); l
  /// = 16 partials by j % 16 ascending, tree; o[d] = fma(e_j, v_j[d], o) ascending from 0. Masked keys may enter with e
  /// = +0.
  void (*attend)(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n_queries);

  /// Merges the next chunk (m2, l2, o2) into the state: M = max(m, m2), a = exp(m - M), b = exp(m2 - M), l = fma(b, l2,
  /// a * l), o = fma(b, o2, a * o), m = M. n = padded head_dim.
  void (*attend_merge)(float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n);
  /// out[d] = (o[d] * (1 / l)) + 0.0f for d < n (any n; out need not be aligned, and may be o).
  void (*attend_finish)(float* out, const float* o, float l, size_t n);

  /// g = (g / (1 + exp(-g))) * u.
  void (*gate)(float* g, const float* u, size_t n);
  /// x = x + y.
  void (*add)(float* x, const float* y, size_t n);
  /// The lowest index among the largest values of x[0..n), any n >= 1, and that value. Returns false when any value is
  /// not finite (index 0 then).
  bool (*argmax)(size_t* index, float* value, const float* x, size_t n);
  /// y = exp(x), any n; the fixed fma sequence in ref/exp.h.
  void (*exp)(float* y, const float* x, size_t n);
};

/// Floats of scratch that `attend` needs for any call with at most n_queries queries.
[[gnu::always_inline]] constexpr size_t attention_scratch_floats(size_t n_queries) {
  return 2 * kChunk * kMaxHeadDim + (n_queries + 16) * kChunk;
}

}  // namespace nxs::kernels
