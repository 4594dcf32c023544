// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_model_*: opening, and what is known of an open model. A handle owns one reference to the immutable model;
// sessions own others.
#include "model/model.h"

#include "base/source.h"
#include "base/worker_pool.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"
#include "kv/page_pool.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

constexpr uint32_t kMostThreads = 1024;

void fill_info(nxs_model_info& info, const model::Model& model) {
  const model::Config& c = model.config;
  info.n_vocab = static_cast<uint32_t>(c.n_vocab);
  info.n_layers = static_cast<uint32_t>(c.n_layers);
  info.n_embd = static_cast<uint32_t>(c.n_embd);
  info.n_heads = static_cast<uint32_t>(c.n_heads);
  info.n_heads_kv = static_cast<uint32_t>(c.n_heads_kv);
  info.n_ctx = c.n_ctx;
  info.weight_bytes = static_cast<int64_t>(model.bytes());
  info.step_bytes = static_cast<int64_t>(model.weights.step_bytes());
  const kv::PageLayout layout(c.n_layers, c.n_heads_kv, c.head_dim, 64, false);
  info.kv_bytes_per_token = static_cast<int64_t>(layout.page_bytes / layout.page_tokens);
}

/// The handle is complete before anything of it is seen.
nxs_model* open_model(const Source& source, const nxs_model_params* given) {
  const nxs_model_params params = read_params(given, "nxs_model_params");
  if (params.n_threads > kMostThreads)
    fail(Status::kArgument, "n_threads is %u, the most is %u", params.n_threads, kMostThreads);
  if (params.max_bytes < 0) fail(Status::kArgument, "max_bytes is negative");
  auto handle = std::make_unique<nxs_model>();
  handle->model =
      model::Model::open(source, params.n_threads != 0 ? params.n_threads : usable_cores(), params.max_bytes);
  handle->digest = handle->model->digest.hex();
  fill_info(handle->info.get(), *handle->model);
  return handle.release();
}

}  // namespace

void nxs_model_params_init(nxs_model_params* params, uint32_t struct_size) {
  init_params(params, struct_size);
}

nxs_status nxs_model_open(nxs_model** out, const char* path, const nxs_model_params* params, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    *out = nullptr;
    need(path, "path");
    *out = open_model(*open_file(path), params);
  });
}

nxs_status nxs_model_open_memory(nxs_model** out, const void* data, size_t size, const nxs_model_params* params,
                                 nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    *out = nullptr;
    need(data, "data");
    array(static_cast<const char*>(data), size, "data");
    *out = open_model(*borrow_memory(data, size), params);
  });
}

void nxs_model_close(nxs_model* model) {
  delete model;
}

const nxs_model_info* nxs_model_get_info(const nxs_model* model) {
  return model ? &model->info.get() : nullptr;
}

/// Compares keys in place: this call cannot fail, so it allocates nothing.
const char* nxs_model_string(const nxs_model* model, const char* key) {
  if (model == nullptr || key == nullptr) return nullptr;
  for (const auto& [name, value] : model->model->strings) {
    if (name == key) return value.c_str();
  }
  return nullptr;
}

const char* nxs_model_note(const nxs_model* model, size_t i) {
  return model && i < model->model->notes.size() ? model->model->notes[i].c_str() : nullptr;
}

const char* nxs_model_digest(const nxs_model* model) {
  return model ? model->digest.c_str() : nullptr;
}
