// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/scratch.h"

#include <algorithm>

#include "kv/sequence.h"
#include "tensor/packed.h"

namespace nxs::model {
namespace {

constexpr const char* kWhat = "scratch of a forward";

size_t product(size_t a, size_t b) {
  return checked_mul(a, b, kWhat);
}

template <typename T>
void copy_prefix(Buffer<T>& to, const Buffer<T>& from) {
  std::copy(from.data(), from.data() + from.size(), to.data());
}

}  // namespace

Widths::Widths(const Config& c)
    : n_embd(c.n_embd),
      q(c.n_heads * c.head_dim),
      kv(c.n_heads_kv * c.head_dim),
      kv_stride(round_up(kv, tensor::kGroupRows)),
      n_ff(c.n_ff),
      vocab_stride(round_up(c.n_vocab, tensor::kGroupRows)),
      widest(std::max({n_embd, q, n_ff})) {}

RowScratch::RowScratch(const Widths& w, size_t head_dim, size_t n)
    : rows(n),
      x(product(n, w.n_embd), kWhat),
      normed(product(n, std::max(w.n_embd, w.q)), kWhat),
      k(product(n, w.kv_stride), kWhat),
      v(product(n, w.kv_stride), kWhat),
      gate(product(n, std::max(w.n_ff, w.q)), kWhat),
      up(product(n, w.n_ff), kWhat),
      panels(product(n, w.widest), kWhat),
      quants(product(n, w.widest), kWhat),
      scales(product(n, w.widest / tensor::kBlock), kWhat),
      sums(product(n, w.widest / tensor::kBlock), kWhat),
      k_quants(product(n, w.widest), kWhat),
      k_scales(product(n, w.widest / tensor::kBlockK), kWhat),
      k_sums(product(n, w.widest / 16), kWhat),
      cos(product(n, head_dim / 2), kWhat),
      sin(product(n, head_dim / 2), kWhat) {}

size_t RowScratch::bytes() const {
  size_t total = quants.bytes() + sums.bytes() + k_quants.bytes() + k_sums.bytes();
  for (const Buffer<float>* b : {&x, &normed, &k, &v, &gate, &up, &panels, &scales, &k_scales, &cos, &sin}) {
    total += b->bytes();
  }
  return total;
}

Results::Results(const Widths& w, size_t rows_, size_t wanted_, size_t segments)
    : rows(rows_),
      wanted(wanted_),
      bad_layer(rows_, kWhat),
      wanted_rows(wanted_, kWhat),
      logits(product(wanted_, w.vocab_stride), kWhat),
      argmax(wanted_, kWhat),
      segment_index(product(wanted_, segments), kWhat),
      segment_value(product(wanted_, segments), kWhat),
      segment_finite(product(wanted_, segments), kWhat) {}

size_t Results::bytes() const {
  return bad_layer.bytes() + wanted_rows.bytes() + logits.bytes() + argmax.bytes() + segment_index.bytes() +
         segment_value.bytes() + segment_finite.bytes();
}

void Results::copy_from(const Results& other) {
  copy_prefix(bad_layer, other.bad_layer);
  copy_prefix(wanted_rows, other.wanted_rows);
  copy_prefix(logits, other.logits);
  copy_prefix(argmax, other.argmax);
}

WorkerScratch::WorkerScratch(const kv::PageLayout& layout, size_t max_queries)
    : kernel(kernels::attention_scratch_floats(max_queries), kWhat),
      queries(max_queries, kWhat),
      own(product(max_queries, kernels::kChunk / kernels::kTile), kWhat),
      m(max_queries, kWhat),
      l(max_queries, kWhat),
      o(product(max_queries, layout.head_dim_padded), kWhat),
      m2(max_queries, kWhat),
      l2(max_queries, kWhat),
      o2(product(max_queries, layout.head_dim_padded), kWhat),
      gather(kv::gather_bytes(layout), kWhat) {}

size_t WorkerScratch::bytes() const {
  size_t total = kernel.bytes() + queries.bytes() + own.bytes() + gather.bytes();
  for (const Buffer<float>* b : {&m, &l, &o, &m2, &l2, &o2}) total += b->bytes();
  return total;
}

}  // namespace nxs::model
