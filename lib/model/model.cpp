// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/model.h"

#include <utility>

#include "base/status.h"
#include "kernels/dispatch.h"

namespace nxs::model {
namespace {

std::vector<double> rope_frequencies(const Config& c, const std::vector<float>& factors) {
  std::vector<double> freq(c.head_dim / 2);
  kernels::rope_frequencies(freq.data(), freq.size(), c.rope_base, c.rope_scale,
                            factors.empty() ? nullptr : factors.data());
  return freq;
}

std::unordered_map<std::string, std::string> read_strings(const gguf::File& file) {
  std::unordered_map<std::string, std::string> strings;
  for (const auto& [key, value] : file.values()) {
    if (const auto* s = std::get_if<std::string>(&value.data)) strings.emplace(key, *s);
  }
  return strings;
}

// "weights: 210 x Q4_1, 61 x F32"
std::string describe_formats(const gguf::File& file) {
  size_t counts[tensor::kDTypes] = {};
  for (const gguf::TensorInfo& t : file.tensors()) ++counts[static_cast<size_t>(t.type)];
  std::string text;
  for (size_t i = 0; i < tensor::kDTypes; ++i) {
    if (counts[i] == 0) continue;
    text += text.empty() ? "weights: " : ", ";
    text += std::to_string(counts[i]) + " x " + tensor::info(static_cast<tensor::DType>(i)).name;
  }
  return text;
}

std::vector<std::string> make_notes(const gguf::File& file, const Config& c, const Weights& w) {
  std::vector<std::string> notes;
  notes.push_back("context " + std::to_string(c.n_ctx) + (w.output.bytes() ? ", own head" : ", tied head"));
  notes.push_back(describe_formats(file));
  if (!w.rope_factors.empty()) notes.push_back("RoPE frequencies are divided by rope_freqs.weight");
  if (c.rope_scale != 1.0) notes.push_back("RoPE positions are scaled by " + std::to_string(c.rope_scale));
  return notes;
}

Digest digest_model(const Digest& weights, const text::Vocabulary& vocabulary, const Config& config) {
  Hasher hasher;
  hasher.digest(weights);
  vocabulary.add_to(hasher);
  config.add_to(hasher);
  return hasher.finish();
}

/// By the measure of Model::bytes.
void check_memory(const gguf::File& file, const text::Vocabulary& vocabulary, int64_t max_bytes) {
  const size_t needed = checked_add(Weights::bytes_needed(file), vocabulary.memory(), "model");
  if (max_bytes > 0 && needed > static_cast<size_t>(max_bytes)) {
    fail(Status::kMemory, "the model takes %zu bytes, %lld are allowed", needed, static_cast<long long>(max_bytes));
  }
}

}  // namespace

size_t Model::bytes() const {
  return weights.bytes() + tokenizer.vocabulary().memory();
}

std::shared_ptr<const Model> Model::open(const Source& source, unsigned n_threads, int64_t max_bytes) {
  const gguf::File file = gguf::File::parse(source);
  text::Vocabulary vocabulary = text::Vocabulary::read(file);
  const Config config = Config::read(file, static_cast<size_t>(vocabulary.size()));
  check_memory(file, vocabulary, max_bytes);

  WorkerPool workers(n_threads);
  workers.begin_call();
  Digest weights_digest;
  Weights weights = Weights::read(file, source, config, workers, &weights_digest);
  workers.end_call();

  const Digest digest = digest_model(weights_digest, vocabulary, config);
  std::vector<double> rope_freq = rope_frequencies(config, weights.rope_factors);
  std::vector<std::string> notes = make_notes(file, config, weights);
  return std::make_shared<const Model>(Model{config, std::move(weights), text::Tokenizer(std::move(vocabulary)),
                                             std::move(rope_freq), read_strings(file), std::move(notes), digest});
}

}  // namespace nxs::model
