// SPDX-License-Identifier: Apache-2.0 OR MIT
// Attention over one chunk of keys, the merge of chunks and the final division.
#include "kernels/ref/exp.h"
#include "kernels/ref/ref.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

float widen(float x) {
  return x;
}
float widen(uint16_t x) {
  return tensor::half_to_float(x);
}

const KvTile& tile_at(const AttentionChunk& chunk, const AttentionQuery& query, size_t t) {
  return t < chunk.n_tiles ? chunk.tiles[t] : query.own[t - chunk.n_tiles];
}

// s[j] = the float dot of q and key j, for the keys of whole tiles that cover n_keys. head_dim <= 256, so it is one
// partial sum.
template <typename T>
void scores(float* s, const AttentionChunk& chunk, const AttentionQuery& query) {
  for (size_t first = 0; first < query.n_keys; first += kTile) {
    const T* k = static_cast<const T*>(tile_at(chunk, query, first / kTile).k);
    float a[kTile] = {};
    for (size_t d = 0; d < chunk.head_dim; ++d) {
      for (size_t j = 0; j < kTile; ++j) a[j] = fma(widen(k[d * kTile + j]), query.q[d], a[j]);
    }
    for (size_t j = 0; j < kTile; ++j) s[first + j] = 0.0f + a[j];  // never -0, so the maximum has one bit pattern
  }
}

// o[d] = sum over j of e[j] * v_j[d].
template <typename T>
void weighted_sum(const AttentionChunk& chunk, const AttentionQuery& query, const float* e) {
  const size_t width = (chunk.head_dim + 15) / 16 * 16;
  float* o = query.o;
  for (size_t d = 0; d < width; ++d) o[d] = 0.0f;
  for (size_t j = 0; j < query.n_keys; ++j) {
    const T* v = static_cast<const T*>(tile_at(chunk, query, j / kTile).v) + j % kTile * width;
    for (size_t d = 0; d < width; ++d) o[d] = fma(e[j], widen(v[d]), o[d]);
  }
}

template <typename T>
void attend_one(const AttentionChunk& chunk, const AttentionQuery& query) {
  float s[kChunk] = {};
  scores<T>(s, chunk, query);
  float m = s[0];
  for (size_t j = 1; j < query.n_keys; ++j) m = s[j] > m ? s[j] : m;
  float p[16] = {};
  for (size_t j = 0; j < query.n_keys; ++j) {
    s[j] = exp_one(s[j] - m);
    p[j % 16] = p[j % 16] + s[j];
  }
  *query.m = m;
  *query.l = tree_sum(p);
  weighted_sum<T>(chunk, query, s);
}

}  // namespace

void attend(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n_queries) {
  for (size_t i = 0; i < n_queries; ++i) {
    if (chunk.f32) {
      attend_one<float>(chunk, queries[i]);
    } else {
      attend_one<uint16_t>(chunk, queries[i]);
    }
  }
}

void attend_merge(float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n) {
  const float max = m2 > *m ? m2 : *m;
  const float a = exp_one(*m - max);
  const float b = exp_one(m2 - max);
  *l = fma(b, l2, a * *l);
  for (size_t d = 0; d < n; ++d) o[d] = fma(b, o2[d], a * o[d]);
  *m = max;
}

void attend_finish(float* out, const float* o, float l, size_t n) {
  const float r = 1.0f / l;
  for (size_t d = 0; d < n; ++d)
    out[d] = (o[d] * r) + 0.0f;  // + 0 makes -0 +0: kernels may let masked keys in with e = +0
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
