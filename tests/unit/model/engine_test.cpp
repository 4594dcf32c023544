// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/engine.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "model_support.h"
#include "support/error_of.h"

namespace nxs::model {
namespace {

std::vector<Row> rows_of(std::span<const int32_t> tokens, uint32_t sequence, int64_t position) {
  std::vector<Row> rows;
  for (const int32_t token : tokens) rows.push_back({token, sequence, position++, true});
  return rows;
}

TEST_CASE("model/engine: the forced instruction set runs, an absent one is refused") {
  const auto model = open_tiny({});
  for (const auto isa : {kernels::Isa::kReference, kernels::Isa::kAvx2, kernels::Isa::kAvx512, kernels::Isa::kNeon}) {
    if (kernels::table(isa) != nullptr) {
      CHECK(Engine(model, engine_options({.isa = isa}, false)).kernels().isa == isa);
    } else {
      const auto thrown = test::error_of([&] { Engine(model, engine_options({.isa = isa}, false)); });
      CHECK(thrown.status == Status::kUnsupported);
      CHECK(thrown.names(kernels::isa_name(isa)));
    }
  }
}

TEST_CASE("model/engine: logits, argmax and digests of wanted rows only") {
  selftest::TinyModelOptions options;
  options.n_vocab = 9001;  // three segments of a digest, the last one short
  const auto model = open_tiny(options);
  const std::vector<int32_t> tokens = random_tokens(50, 8, 9001);
  const std::vector<Bits> expected = logits_of(model, tokens, {});
  for (const unsigned threads : {1u, 3u}) {
    Engine engine(model, engine_options({.n_threads = threads}, false));
    kv::Sequence sequence(engine.pages());
    kv::Sequence* const sequences[] = {&sequence};
    std::vector<Row> rows = rows_of(tokens, 0, 0);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].want = i % 3 == 1;
    engine.forward(sequences, rows);
    std::vector<size_t> wanted;
    for (size_t i = 0; 3 * i + 1 < rows.size(); ++i) {
      wanted.push_back(wanted.size());
      const std::span<const float> logits = engine.logits(i);
      CHECK(bits_of(logits) == expected[3 * i + 1]);
      CHECK(engine.argmax(i) == std::max_element(logits.begin(), logits.end()) - logits.begin());
    }
    std::vector<Digest> digests(wanted.size());
    engine.digest_rows(wanted, digests.data());
    for (size_t i = 0; i < wanted.size(); ++i) CHECK(digests[i] == digest_row(engine.logits(i)));
  }
}

TEST_CASE("model/engine: forwards without wanted rows, and none at all") {
  const auto model = open_tiny({});
  const std::vector<int32_t> tokens = random_tokens(20, 9);
  Engine engine(model, engine_options({}, false));
  kv::Sequence sequence(engine.pages());
  kv::Sequence* const sequences[] = {&sequence};
  std::vector<Row> rows = rows_of(std::span(tokens).first(19), 0, 0);
  for (Row& row : rows) row.want = false;
  engine.forward(sequences, rows);
  engine.forward(sequences, {});
  CHECK(sequence.length() == 19);
  const std::vector<Bits> last = feed(engine, sequence, std::span(tokens).last(1), 1);
  CHECK(last[0] == logits_of(model, tokens, {})[19]);
}

TEST_CASE("model/engine: reserving keeps the last forward's results") {
  const auto model = open_tiny({});
  Engine engine(model, engine_options({}, false));
  kv::Sequence sequence(engine.pages());
  const std::vector<Bits> bits = feed(engine, sequence, random_tokens(3, 1), 3);
  const int32_t best = engine.argmax(2);
  const size_t before = engine.scratch_bytes();
  engine.reserve(100, 50);
  CHECK(engine.scratch_bytes() > before);
  CHECK(bits_of(engine.logits(2)) == bits[2]);
  CHECK(engine.argmax(2) == best);
  CHECK(engine.bad_layer(2) == -1);
}

TEST_CASE("model/engine: a full pool changes no sequence and no result") {
  const auto model = open_tiny({});
  EngineOptions options = engine_options({.page_tokens = 16}, false);
  options.kv_tokens = 64;
  Engine engine(model, options);
  kv::Sequence a(engine.pages()), b(engine.pages());
  kv::Sequence* const both[] = {&a, &b};
  const std::vector<int32_t> tokens = random_tokens(100, 2);
  std::vector<Row> rows = rows_of(std::span(tokens).first(20), 0, 0);
  engine.forward(both, rows);
  const Bits bits = bits_of(engine.logits(19));
  rows = rows_of(std::span(tokens).first(10), 0, 20);
  const std::vector<Row> more = rows_of(std::span(tokens).first(33), 1, 0);
  rows.insert(rows.end(), more.begin(), more.end());  // three pages, two are free
  const auto thrown = test::error_of([&] { engine.forward(both, rows); });
  CHECK(thrown.status == Status::kKvFull);
  CHECK(thrown.names("48 tokens"));
  CHECK(a.length() == 20);
  CHECK(b.length() == 0);
  CHECK(engine.pages().n_free() == 2);
  CHECK(bits_of(engine.logits(19)) == bits);
  rows.resize(rows.size() - 1);
  engine.forward(both, rows);
  CHECK(b.length() == 32);
}

TEST_CASE("model/engine: rows that do not continue their sequence are refused") {
  const auto model = open_tiny({});
  Engine engine(model, engine_options({}, false));
  kv::Sequence sequence(engine.pages());
  kv::Sequence* const sequences[] = {&sequence};
  const Row gap{1, 0, 1, true}, stranger{1, 1, 0, true};
  CHECK(test::error_of([&] { engine.forward(sequences, {&gap, 1}); }).status == Status::kInternal);
  CHECK(test::error_of([&] { engine.forward(sequences, {&stranger, 1}); }).status == Status::kInternal);
  CHECK(sequence.length() == 0);
}

}  // namespace
}  // namespace nxs::model
