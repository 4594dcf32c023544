// SPDX-License-Identifier: Apache-2.0 OR MIT
// Any bytes: opening them as a model gives a model, or throws a Status that a file can cause. What opens also survives
// a forward and a text.
#include <cstdlib>

#include "fuzz/fuzz_target.h"
#include "model/engine.h"
#include "model/model.h"
#include "support/error_of.h"

namespace {

using nxs::Status;

void require(bool ok) {
  if (!ok) std::abort();
}

std::shared_ptr<const nxs::model::Model> open(const uint8_t* data, size_t size) {
  std::shared_ptr<const nxs::model::Model> model;
  const auto source = nxs::borrow_memory(data, size);
  const nxs::test::Thrown thrown = nxs::test::error_of([&] { model = nxs::model::Model::open(*source, 1, 0); });
  require(thrown.status == Status::kOk || thrown.status == Status::kFormat || thrown.status == Status::kUnsupported);
  require((thrown.status == Status::kOk) == (model != nullptr));
  return model;
}

/// Two rows: whatever the weights are, a token comes out, or the row is bad.
void run(const std::shared_ptr<const nxs::model::Model>& model) {
  const nxs::model::EngineOptions options{1, nxs::kernels::Isa::kBest, false, 16, 0};
  nxs::model::Engine engine(model, options);
  nxs::kv::Sequence sequence(engine.pages());
  const nxs::model::Row rows[] = {{0, 0, 0, false}, {1, 0, 1, true}};
  nxs::kv::Sequence* const sequences[] = {&sequence};
  engine.reserve(2, 1);
  engine.forward(sequences, rows);
  const int32_t token = engine.argmax(0);
  require(token >= 0 && static_cast<size_t>(token) < model->config.n_vocab);
}

void tokenize(const nxs::text::Tokenizer& tokenizer) {
  constexpr std::string_view kText = "Hello <|im_start|>world\n 12\xff";
  std::vector<int32_t> tokens;
  tokenizer.encode(tokens, kText, {.special = true, .bos = true, .drop = true});
  std::string text;
  tokenizer.decode(text, tokens, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = open(data, size);
  if (model == nullptr || model->config.n_vocab < 2) return 0;
  run(model);
  tokenize(model->tokenizer);
  return 0;
}
