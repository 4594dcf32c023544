// SPDX-License-Identifier: Apache-2.0 OR MIT
// How greedy text comes to repeat itself: the token ids are shuffled into rings of eight. Along a ring the embedding is
// the one before, turned by an eighth of its channels; the last layer's feed-forward turns what it gets in the same
// way. So the logits favour the next token of the ring, more or less so (`echo`) against the random rest, which now and
// then leads from one ring into another.
#include "selftest/tiny_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status.h"
#include "selftest/gguf_writer.h"
#include "selftest/tiny_matrix.h"
#include "selftest/tiny_vocabulary.h"

namespace nxs::selftest {

namespace {

constexpr size_t kRing = 8;

// The chat template of SmolLM2-Instruct, verbatim: it is recognised by its digest.
constexpr const char* kChatTemplate =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}"
    "{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

void check(const TinyModelOptions& o) {
  const auto in_range = [](uint32_t v, uint32_t low, uint32_t high) { return v >= low && v <= high; };
  const bool ok = in_range(o.n_vocab, kFirstMergedId, 1u << 18) && in_range(o.n_layers, 1, 256) &&
                  in_range(o.n_embd, 32, 8192) && o.n_embd % 32 == 0 && in_range(o.n_ff, 32, 32768) &&
                  o.n_ff % 32 == 0 && in_range(o.n_heads, 1, 256) && in_range(o.n_heads_kv, 1, o.n_heads) &&
                  o.n_heads % o.n_heads_kv == 0 && o.n_embd % (2 * o.n_heads) == 0 && o.n_ctx >= 1 && o.echo >= 0.0f &&
                  o.echo <= 1.0f;
  for (const tensor::DType type : {o.layers, o.head}) {
    const uint32_t block = tensor::info(type).block_elems;
    if (o.n_embd % block != 0 || (type == o.layers && o.n_ff % block != 0)) {
      fail(Status::kArgument, "tiny model: rows of %u or %u are no multiple of %s's block", o.n_embd, o.n_ff,
           tensor::info(type).name);
    }
  }
  if (!ok) fail(Status::kArgument, "tiny model: sizes out of range or not divisible");
}

void write_metadata(GgufWriter& file, const TinyModelOptions& o, const TinyVocabulary& vocabulary) {
  const uint32_t head_dim = o.n_embd / o.n_heads;
  file.text("general.architecture", "llama");
  file.text("general.name", "nxs tiny model");
  file.u32("general.quantization_version", 2);
  file.u32("llama.block_count", o.n_layers);
  file.u32("llama.context_length", o.n_ctx);
  file.u32("llama.embedding_length", o.n_embd);
  file.u32("llama.feed_forward_length", o.n_ff);
  file.u32("llama.attention.head_count", o.n_heads);
  file.u32("llama.attention.head_count_kv", o.n_heads_kv);
  file.f32("llama.attention.layer_norm_rms_epsilon", 0x1p-17f);
  file.f32("llama.rope.freq_base", 10000.0f);
  file.u32("llama.rope.dimension_count", head_dim);
  file.u32("llama.vocab_size", o.n_vocab);
  file.text("tokenizer.ggml.model", "gpt2");
  file.text("tokenizer.ggml.pre", "smollm");
  file.texts("tokenizer.ggml.tokens", vocabulary.tokens);
  file.i32s("tokenizer.ggml.token_type", vocabulary.types);
  file.texts("tokenizer.ggml.merges", vocabulary.merges);
  file.u32("tokenizer.ggml.bos_token_id", kBeginId);
  file.u32("tokenizer.ggml.eos_token_id", kEndId);
  file.u32("tokenizer.ggml.unknown_token_id", kUnknownId);
  file.u32("tokenizer.ggml.padding_token_id", kEndId);
  file.boolean("tokenizer.ggml.add_bos_token", false);
  file.boolean("tokenizer.ggml.add_space_prefix", false);
  if (o.chat_template) file.text("tokenizer.chat_template", kChatTemplate);
}

/// Embeddings of magnitude 1/4 to 1/2 with random signs; token order[i + 1] has those of order[i], turned, within a
/// ring.
/// Those of the control tokens are smaller by a quarter, so that text seldom stops.
StepMatrix embedding(IntegerDraws& draws, const TinyModelOptions& o) {
  std::vector<uint32_t> order(o.n_vocab);
  for (uint32_t i = 0; i < o.n_vocab; ++i) order[i] = i;
  for (uint32_t i = o.n_vocab - 1; i > 0; --i) std::swap(order[i], order[draws.below(i + 1)]);
  StepMatrix matrix{o.n_vocab, o.n_embd, 4, std::vector<int16_t>(size_t{o.n_vocab} * o.n_embd)};
  for (size_t i = 0; i < o.n_vocab; ++i) {
    for (size_t c = 0; c < o.n_embd; ++c) {
      if (i % kRing == 0) {
        const auto size = static_cast<int16_t>(1024 + draws.below(1024));
        matrix.at(order[i], c) = draws.below(2) == 0 ? size : static_cast<int16_t>(-size);
      } else {
        matrix.at(order[i], (c + o.n_embd / kRing) % o.n_embd) = matrix.at(order[i - 1], c);
      }
    }
  }
  for (uint32_t token = 0; token < kFirstByteId; ++token) {
    for (size_t c = 0; c < o.n_embd; ++c) matrix.at(token, c) = static_cast<int16_t>(matrix.at(token, c) * 3 / 4);
  }
  return matrix;
}

/// Each row moved on by an eighth: an untied head, for which the feed-forward turns by two eighths.
StepMatrix turned(const StepMatrix& matrix) {
  StepMatrix out = matrix;
  for (size_t row = 0; row < matrix.rows; ++row) {
    const auto begin = out.steps.begin() + static_cast<ptrdiff_t>(row * matrix.cols);
    const auto end = begin + static_cast<ptrdiff_t>(matrix.cols);
    std::rotate(begin, end - static_cast<ptrdiff_t>(matrix.cols / kRing), end);
  }
  return out;
}

struct FeedForward {
  StepMatrix gate, up, down;
};

/// Units 2c and 2c + 1 give silu(x)x - silu(-x)x = x^2 tanh(x/2) of channel c, an odd function, to the channel an
/// eighth further. The scales are finer than those of random matrices, so the units that are left shrink.
void add_turn(FeedForward& ff, size_t n_embd, size_t n_ff, float echo, size_t eighths) {
  constexpr int16_t kOne = 7 * 256;
  constexpr int kExponent = 2;
  for (StepMatrix* matrix : {&ff.gate, &ff.up, &ff.down}) {
    for (int16_t& steps : matrix->steps) steps = static_cast<int16_t>(steps >> (matrix->exponent - kExponent));
    matrix->exponent = kExponent;
  }
  const auto turn = static_cast<int16_t>(echo * static_cast<float>(kOne));
  for (size_t c = 0; c < std::min(n_embd, n_ff / 2); ++c) {
    for (size_t unit : {2 * c, 2 * c + 1}) {
      for (size_t k = 0; k < n_embd; ++k) ff.gate.at(unit, k) = ff.up.at(unit, k) = ff.down.at(k, unit) = 0;
      ff.up.at(unit, c) = kOne;
      ff.gate.at(unit, c) = unit % 2 == 0 ? kOne : -kOne;
      ff.down.at((c + eighths * n_embd / kRing) % n_embd, unit) = turn;
    }
  }
}

class TensorWriter {
 public:
  TensorWriter(GgufWriter& file, const TinyModelOptions& o, IntegerDraws& draws) : file_(file), o_(o), draws_(draws) {}

  void matrix(const std::string& name, tensor::DType type, const StepMatrix& m, bool vary) {
    file_.tensor(name, type, {m.cols, m.rows}, encode(m, type, vary ? &draws_ : nullptr));
  }

  void random(const std::string& name, size_t rows, size_t cols) {
    matrix(name, o_.layers, random_matrix(draws_, rows, cols, 0), true);
  }

  /// What adds to the residual stream: against the embedding the weaker the more echo is asked for.
  StepMatrix output_matrix(size_t cols) {
    if (o_.echo == 0.0f) return random_matrix(draws_, o_.n_embd, cols, 0);
    const int shrink = o_.n_embd < 128 ? 2 : 1;  // wider embeddings tell the tokens apart better
    StepMatrix m = random_matrix(draws_, o_.n_embd, cols, shrink);
    for (int16_t& steps : m.steps) steps = static_cast<int16_t>(static_cast<float>(steps) * (1.0f - o_.echo / 2));
    return m;
  }

  /// Weights from 7/8 to 9/8.
  void norm(const std::string& name) {
    StepMatrix m{1, o_.n_embd, 2, std::vector<int16_t>(o_.n_embd)};
    for (int16_t& steps : m.steps) steps = static_cast<int16_t>(896 + draws_.below(257));
    file_.tensor(name, tensor::DType::kF32, {o_.n_embd}, encode(m, tensor::DType::kF32, nullptr));
  }

  void layer(uint32_t index) {
    const std::string prefix = "blk." + std::to_string(index) + ".";
    const size_t n_kv = size_t{o_.n_embd} / o_.n_heads * o_.n_heads_kv;
    norm(prefix + "attn_norm.weight");
    random(prefix + "attn_q.weight", o_.n_embd, o_.n_embd);
    random(prefix + "attn_k.weight", n_kv, o_.n_embd);
    random(prefix + "attn_v.weight", n_kv, o_.n_embd);
    matrix(prefix + "attn_output.weight", o_.layers, output_matrix(o_.n_embd), true);
    norm(prefix + "ffn_norm.weight");
    FeedForward ff{random_matrix(draws_, o_.n_ff, o_.n_embd, 0), random_matrix(draws_, o_.n_ff, o_.n_embd, 0),
                   output_matrix(o_.n_ff)};
    const bool turns = index + 1 == o_.n_layers && o_.echo > 0.0f;
    if (turns) add_turn(ff, o_.n_embd, o_.n_ff, o_.echo, o_.tied ? 1 : 2);
    matrix(prefix + "ffn_gate.weight", o_.layers, ff.gate, !turns);
    matrix(prefix + "ffn_up.weight", o_.layers, ff.up, !turns);
    matrix(prefix + "ffn_down.weight", o_.layers, ff.down, !turns);
  }

  void rope_factors() {
    const size_t n = o_.n_embd / o_.n_heads / 2;
    StepMatrix m{1, n, -8, std::vector<int16_t>(n)};
    for (size_t i = 0; i < n; ++i) m.steps[i] = static_cast<int16_t>(1 + i / 2);
    file_.tensor("rope_freqs.weight", tensor::DType::kF32, {n}, encode(m, tensor::DType::kF32, nullptr));
  }

 private:
  GgufWriter& file_;
  const TinyModelOptions& o_;
  IntegerDraws& draws_;
};

}  // namespace

std::vector<uint8_t> tiny_model(const TinyModelOptions& options) {
  check(options);
  IntegerDraws draws(options.seed);
  GgufWriter file;
  write_metadata(file, options, tiny_vocabulary(draws, options.n_vocab));
  TensorWriter tensors(file, options, draws);
  const StepMatrix embeddings = embedding(draws, options);
  tensors.matrix("token_embd.weight", options.head, embeddings, false);
  if (options.rope_factors) tensors.rope_factors();
  for (uint32_t i = 0; i < options.n_layers; ++i) tensors.layer(i);
  tensors.norm("output_norm.weight");
  if (!options.tied) tensors.matrix("output.weight", options.head, turned(embeddings), false);
  return file.finish();
}

}  // namespace nxs::selftest
