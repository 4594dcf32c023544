// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/forward.h"

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.h"
#include "model/activations.h"
#include "tensor/pack.h"

namespace nxs::model {
namespace {

using kernels::Activations;
using tensor::kGroupRows;

// Rows of the residual stream from the embedding, and each row's RoPE angles, which all layers and heads share.
void embed(Forward& f) {
  const Config& c = f.model.config;
  const tensor::PackedView embedding = f.model.weights.embedding.view();
  const size_t pairs = c.head_dim / 2;
  for_rows(f, f.rows.size(), c.n_embd + 64 * pairs, false, [&](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) {
      tensor::unpack_row(f.scratch.x.data() + r * c.n_embd, embedding, static_cast<size_t>(f.rows[r].token));
      kernels::rope_angles(f.scratch.cos.data() + r * pairs, f.scratch.sin.data() + r * pairs, f.model.rope_freq.data(),
                           pairs, f.rows[r].position);
    }
  });
}

// Several products of one input in one region, as one row of groups shared out in ranges.
void multiply(Forward& f, std::initializer_list<Product> products, const Activations& x) {
  size_t groups = 0;
  for (const Product& p : products) groups += p.w->view().groups();
  const size_t step = unit_groups(groups, f.workers.size());
  f.workers.run_ranges(static_cast<uint32_t>((groups + step - 1) / step), [&](uint32_t first, uint32_t last, unsigned) {
    size_t begin = first * step, end = last * step;
    for (const Product& p : products) {
      const tensor::PackedView w = p.w->view();
      const size_t n = w.groups(), g0 = std::min(begin, n), g1 = std::min(end, n);
      if (g0 < g1) f.kernels.matmul[static_cast<size_t>(w.type)](p.y, p.ldy, w, x, g0, g1, p.add);
      begin -= g0, end -= g1;
    }
  });
}

// Rotates one row's query and key and puts key and value into the cache; zeros once the row is bad.
void store_row(Forward& f, size_t r, size_t layer) {
  const Config& c = f.model.config;
  const Row& row = f.rows[r];
  const float* cos = row_at(f.scratch.cos, c.head_dim / 2, r);
  const float* sin = row_at(f.scratch.sin, c.head_dim / 2, r);
  float* k = row_at(f.scratch.k, f.widths.kv_stride, r);
  const float* v = row_at(f.scratch.v, f.widths.kv_stride, r);
  const auto q_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_dim)));
  f.kernels.rotate(row_at(f.scratch.q(), f.widths.q, r), cos, sin, c.n_heads, c.head_dim, q_scale);
  f.kernels.rotate(k, cos, sin, c.n_heads_kv, c.head_dim, 1.0f);

  kv::Sequence& sequence = *f.sequences[row.sequence];
  const kv::PageLayout& layout = sequence.pool().layout();
  const size_t lane = static_cast<size_t>(row.position) % layout.lanes;
  for (size_t h = 0; h < c.n_heads_kv; ++h) {
    const bool zero = f.results.bad_layer[r] >= 0;
    const bool finite = f.kernels.store_kv(sequence.k_tile(layer, h, row.position), lane, layout.lanes,
                                           sequence.v_row(layer, h, row.position), k + h * c.head_dim,
                                           v + h * c.head_dim, c.head_dim, layout.f32, zero);
    if (!finite) mark_bad(f, r, static_cast<int32_t>(layer));
  }
}

// x = x + o(attention(q, k, v)) of the normed rows. All rows' keys and values are stored before any row attends.
void attend_block(Forward& f, size_t layer) {
  const Layer& w = f.model.weights.layers[layer];
  const Config& c = f.model.config;
  RowScratch& s = f.scratch;
  const size_t n = f.rows.size();
  const auto number = static_cast<int32_t>(layer);

  const Activations in =
      prepare(f, {s.x.data(), n, c.n_embd, w.attn_norm.data(), nullptr, number}, Forms({&w.q, &w.k, &w.v}));
  multiply(f,
           {{s.q().data(), f.widths.q, &w.q, false},
            {s.k.data(), f.widths.kv_stride, &w.k, false},
            {s.v.data(), f.widths.kv_stride, &w.v, false}},
           in);
  for_rows(f, n, f.widths.q + 4 * f.widths.kv, false, [&](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r) store_row(f, r, layer);
  });
  attend({f.kernels, f.workers, f.worker_scratch, f.sequences, f.rows, c.n_heads, c.n_heads / c.n_heads_kv, layer,
          s.q().data(), s.mixed().data()},
         f.plan);
  const Activations mixed = prepare(f, {s.mixed().data(), n, f.widths.q, nullptr, nullptr, number}, Forms({&w.o}));
  multiply(f, {{s.x.data(), c.n_embd, &w.o, true}}, mixed);
}

// gate = silu(gate . x) * (up . x): a range computes the same groups of both and joins them while they are in its
// cache; of many rows that holds only a unit.
void multiply_gated(Forward& f, const Layer& w, const Activations& x) {
  const tensor::PackedView gate = w.gate.view(), up = w.up.view();
  const size_t ld = f.widths.n_ff, step = unit_groups(gate.groups(), f.workers.size());
  const auto units = static_cast<uint32_t>((gate.groups() + step - 1) / step);
  f.workers.run_ranges(units, [&](uint32_t first, uint32_t last, unsigned) {
    const size_t end = std::min(last * step, gate.groups());
    const size_t most = x.m > kernels::kPanel ? step : end;
    for (size_t g0 = first * step, g1 = 0; g0 < end; g0 = g1) {
      g1 = std::min(g0 + most, end);
      f.kernels.matmul[static_cast<size_t>(gate.type)](f.scratch.gate.data(), ld, gate, x, g0, g1, false);
      f.kernels.matmul[static_cast<size_t>(up.type)](f.scratch.up.data(), ld, up, x, g0, g1, false);
      for (size_t r = 0; r < x.m; ++r) {
        f.kernels.gate(row_at(f.scratch.gate, ld, r) + g0 * kGroupRows, row_at(f.scratch.up, ld, r) + g0 * kGroupRows,
                       (g1 - g0) * kGroupRows);
      }
    }
  });
}

// x = x + down(silu(gate(x)) * up(x)) of the normed rows.
void feed_forward(Forward& f, size_t layer) {
  const Layer& w = f.model.weights.layers[layer];
  const Config& c = f.model.config;
  RowScratch& s = f.scratch;
  const size_t n = f.rows.size();
  const auto number = static_cast<int32_t>(layer);

  const Activations in =
      prepare(f, {s.x.data(), n, c.n_embd, w.ffn_norm.data(), nullptr, number}, Forms({&w.gate, &w.up}));
  multiply_gated(f, w, in);
  const Activations gated = prepare(f, {s.gate.data(), n, c.n_ff, nullptr, nullptr, number}, Forms({&w.down}));
  multiply(f, {{s.x.data(), c.n_embd, &w.down, true}}, gated);
}

// One range of logits of all wanted rows, and the largest of each while it is in the cache.
void head_segment(Forward& f, const Activations& x, size_t segment) {
  const tensor::PackedView head = f.model.weights.head().view();
  const size_t g0 = segment * f.segment_groups, g1 = std::min(g0 + f.segment_groups, head.groups());
  f.kernels.matmul[static_cast<size_t>(head.type)](f.results.logits.data(), f.widths.vocab_stride, head, x, g0, g1,
                                                   false);
  const size_t first = g0 * kGroupRows, last = std::min(g1 * kGroupRows, head.rows);
  for (size_t i = 0; i < x.m; ++i) {
    const size_t at = i * f.n_segments + segment;
    const float* logits = row_at(f.results.logits, f.widths.vocab_stride, i) + first;
    size_t index = 0;
    const bool finite = f.kernels.argmax(&index, &f.results.segment_value[at], logits, last - first);
    f.results.segment_finite[at] = finite ? 1 : 0;
    f.results.segment_index[at] = static_cast<uint32_t>(first + index);
  }
}

// The first of the largest logits over all segments; a row with a non-finite logit is bad and has none.
void merge_segments(Forward& f, size_t i) {
  const size_t row = f.results.wanted_rows[i], at = i * f.n_segments;
  size_t best = 0;
  for (size_t s = 0; s < f.n_segments; ++s) {
    if (f.results.segment_finite[at + s] == 0) mark_bad(f, row, static_cast<int32_t>(f.model.config.n_layers));
    if (f.results.segment_value[at + s] > f.results.segment_value[at + best]) best = s;
  }
  f.results.argmax[i] = f.results.bad_layer[row] < 0 ? f.results.segment_index[at + best] : 0;
}

// Logits of the wanted rows alone.
void head(Forward& f) {
  if (f.n_wanted == 0) return;
  const Config& c = f.model.config;
  const Weights& w = f.model.weights;
  const Activations in = prepare(f,
                                 {f.scratch.x.data(), f.n_wanted, c.n_embd, w.output_norm.data(),
                                  f.results.wanted_rows.data(), static_cast<int32_t>(c.n_layers)},
                                 Forms({&w.head()}));
  f.workers.run_ranges(static_cast<uint32_t>(f.n_segments), [&](uint32_t first, uint32_t last, unsigned) {
    for (uint32_t segment = first; segment != last; ++segment) head_segment(f, in, segment);
  });
  for (size_t i = 0; i < f.n_wanted; ++i) merge_segments(f, i);
}

void begin_results(Forward& f) {
  size_t n = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    f.results.bad_layer[r] = -1;
    if (f.rows[r].want) f.results.wanted_rows[n++] = static_cast<uint32_t>(r);
  }
}

}  // namespace

void run(Forward& f) {
  begin_results(f);
  if (f.rows.empty()) return;
  embed(f);
  for (size_t layer = 0; layer < f.model.config.n_layers; ++layer) {
    attend_block(f, layer);
    feed_forward(f, layer);
  }
  head(f);
}

size_t unit_groups(size_t n_groups, unsigned n_threads) {
  constexpr size_t kUnitsPerThread = 8;
  return std::max<size_t>(1, n_groups / (kUnitsPerThread * n_threads));
}

}  // namespace nxs::model
