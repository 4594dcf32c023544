// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/engine.h"

#include <algorithm>

#include "base/status.h"
#include "model/attention.h"
#include "model/forward.h"
#include "model/scratch.h"

namespace nxs::model {
namespace {

constexpr size_t kDigestFloats = 4096;  // of a row's segment

size_t pool_pages(const EngineOptions& options) {
  const auto tokens = static_cast<size_t>(options.kv_tokens), page = static_cast<size_t>(options.page_tokens);
  return page == 0 ? 0 : (tokens + page - 1) / page;
}

const kernels::Kernels& find_kernels(kernels::Isa isa) {
  const kernels::Kernels* found = kernels::table(isa);
  if (found == nullptr) fail(Status::kUnsupported, "instruction set %s: not on this CPU", kernels::isa_name(isa));
  return *found;
}

}  // namespace

struct Engine::Impl {
  Impl(std::shared_ptr<const Model> m, const EngineOptions& o)
      : model(std::move(m)),
        options(o),
        kernels(find_kernels(o.isa)),
        widths(model->config),
        layout(model->config.n_layers, model->config.n_heads_kv, model->config.head_dim, o.page_tokens, o.kv_f32),
        pool(layout, pool_pages(o)),
        workers(o.n_threads) {
    const size_t queries = block_rows(group()) * group();
    for (unsigned i = 0; i < workers.size(); ++i) worker_scratch.emplace_back(layout, queries);
    const size_t groups = model->weights.head().view().groups();
    segment_groups = unit_groups(groups, workers.size());
    n_segments = (groups + segment_groups - 1) / segment_groups;
  }

  size_t group() const { return model->config.n_heads / model->config.n_heads_kv; }

  void count_rows(std::span<kv::Sequence* const> sequences, std::span<const Row> rows);
  void append(std::span<kv::Sequence* const> sequences);

  std::shared_ptr<const Model> model;
  EngineOptions options;
  const kernels::Kernels& kernels;
  Widths widths;
  kv::PageLayout layout;
  kv::PagePool pool;
  WorkerPool workers;
  RowScratch scratch;
  Results results;
  std::vector<WorkerScratch> worker_scratch;
  AttentionPlan plan;
  size_t segment_groups = 0, n_segments = 0;  // of the head
  std::vector<int64_t> new_rows;              // of each sequence in this forward
  std::vector<Digest> segment_digests;
};

// Fills new_rows; the rows of a sequence must continue it without a gap.
void Engine::Impl::count_rows(std::span<kv::Sequence* const> sequences, std::span<const Row> rows) {
  new_rows.assign(sequences.size(), 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    const uint32_t s = rows[r].sequence;
    if (s >= sequences.size() || rows[r].position != sequences[s]->length() + new_rows[s]) {
      fail(Status::kInternal, "forward: row %zu does not continue its sequence", r);
    }
    ++new_rows[s];
  }
}

// All sequences grow, or none does.
void Engine::Impl::append(std::span<kv::Sequence* const> sequences) {
  const size_t needed = kv::pages_needed(sequences, new_rows);
  if (needed > pool.available()) kv::fail_full(pool, "the forward needs", needed);
  size_t done = 0;
  try {
    for (; done < sequences.size(); ++done) sequences[done]->append(new_rows[done]);
  } catch (...) {
    while (done-- > 0) sequences[done]->truncate(sequences[done]->length() - new_rows[done]);
    throw;
  }
}

Engine::Engine(std::shared_ptr<const Model> model, const EngineOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Engine::~Engine() = default;

const Model& Engine::model() const {
  return *impl_->model;
}
const kernels::Kernels& Engine::kernels() const {
  return impl_->kernels;
}
kv::PagePool& Engine::pages() {
  return impl_->pool;
}
WorkerPool& Engine::workers() {
  return impl_->workers;
}

size_t Engine::scratch_bytes() const {
  size_t total = impl_->scratch.bytes() + impl_->results.bytes() + impl_->plan.bytes();
  for (const WorkerScratch& w : impl_->worker_scratch) total += w.bytes();
  return total;
}

void Engine::reserve(size_t rows, size_t wanted) {
  Impl& e = *impl_;
  RowScratch scratch;
  Results results;
  const bool more_rows = rows > e.scratch.rows;
  const bool more_results = rows > e.results.rows || wanted > e.results.wanted;
  if (more_rows) scratch = RowScratch(e.widths, e.model->config.head_dim, round_up(rows, kernels::kPanel));
  if (more_results) {
    // The last forward's results stay readable.
    results = Results(e.widths, std::max(rows, e.results.rows), std::max(wanted, e.results.wanted), e.n_segments);
    results.copy_from(e.results);
  }
  if (more_rows) e.scratch = std::move(scratch);
  if (more_results) e.results = std::move(results);
}

void Engine::forward(std::span<kv::Sequence* const> sequences, std::span<const Row> rows) {
  Impl& e = *impl_;
  const auto n_wanted =
      static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.want; }));
  e.count_rows(sequences, rows);
  reserve(rows.size(), n_wanted);
  e.plan.make(sequences, rows, e.group(), e.workers.size(), e.options.attention);
  e.append(sequences);
  Forward f{*e.model,  e.kernels, e.workers, e.widths, e.scratch,        e.worker_scratch, e.plan,
            e.results, sequences, rows,      n_wanted, e.segment_groups, e.n_segments};
  run(f);
}

int32_t Engine::bad_layer(size_t row) const {
  return impl_->results.bad_layer[row];
}

std::span<const float> Engine::logits(size_t i) const {
  return {impl_->results.logits.data() + i * impl_->widths.vocab_stride, impl_->model->config.n_vocab};
}

int32_t Engine::argmax(size_t i) const {
  return static_cast<int32_t>(impl_->results.argmax[i]);
}

void Engine::digest_rows(std::span<const size_t> wanted, Digest* out) {
  Impl& e = *impl_;
  const size_t n_vocab = e.model->config.n_vocab, per_row = (n_vocab + kDigestFloats - 1) / kDigestFloats;
  e.segment_digests.resize(wanted.size() * per_row);
  e.workers.run(static_cast<uint32_t>(wanted.size() * per_row), [&](uint32_t unit, unsigned) {
    const std::span<const float> row = logits(wanted[unit / per_row]);
    const size_t at = unit % per_row * kDigestFloats;
    const std::span<const float> segment = row.subspan(at, std::min(kDigestFloats, n_vocab - at));
    e.segment_digests[unit] = digest_of(segment.data(), segment.size_bytes());
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    out[i] = digest_of(e.segment_digests.data() + i * per_row, per_row * sizeof(Digest));
  }
}

Digest digest_row(std::span<const float> logits) {
  std::vector<Digest> digests;
  for (size_t at = 0; at < logits.size(); at += kDigestFloats) {
    const std::span<const float> segment = logits.subspan(at, std::min(kDigestFloats, logits.size() - at));
    digests.push_back(digest_of(segment.data(), segment.size_bytes()));
  }
  return digest_of(digests.data(), digests.size() * sizeof(Digest));
}

}  // namespace nxs::model
