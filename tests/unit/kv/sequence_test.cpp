// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kv/sequence.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "base/status.h"
#include "kv_support.h"

namespace nxs::kv {
namespace {

/// A sequence and the plain vector that it must equal.
struct Twin {
  Sequence sequence;
  std::vector<uint32_t> tokens;
};

void append_tokens(Twin& twin, int64_t n, uint32_t* next) {
  twin.sequence.append(n);
  for (int64_t i = 0; i < n; ++i) {
    twin.tokens.push_back(++*next);
    write_token(twin.sequence, twin.sequence.length() - n + i, twin.tokens.back());
  }
}

bool equal(Twin& twin) {
  if (twin.sequence.length() != static_cast<int64_t>(twin.tokens.size())) return false;
  for (size_t p = 0; p < twin.tokens.size(); ++p) {
    if (!holds_token(twin.sequence, static_cast<int64_t>(p), twin.tokens[p])) return false;
  }
  return true;
}

// Every page's references are those of the tables that list it, and no page is lost.
bool references_close(const PagePool& pool, const std::vector<Twin>& twins) {
  std::vector<uint32_t> refs(pool.n_pages(), 0);
  for (const Twin& twin : twins) {
    for (const PageId page : twin.sequence.pages()) ++refs[page];
  }
  size_t n_free = 0;
  for (PageId page = 0; page < refs.size(); ++page) {
    if (refs[page] != pool.refs(page)) return false;
    n_free += refs[page] == 0 ? 1 : 0;
  }
  return n_free == pool.n_free();
}

TEST_CASE("kv/sequence: fork shares full pages and copies the open one at the first append") {
  PagePool pool(PageLayout(2, 2, 6, 16, true), 16);
  uint32_t next = 0;
  Twin parent{Sequence(pool), {}};
  append_tokens(parent, 40, &next);
  CHECK(16 - pool.n_free() == 3);
  Twin child{parent.sequence.fork(40), parent.tokens};
  CHECK(16 - pool.n_free() == 3);
  CHECK(child.sequence.pages_needed(1) == 1);
  append_tokens(child, 1, &next);
  CHECK(16 - pool.n_free() == 4);
  CHECK(child.sequence.pages()[1] == parent.sequence.pages()[1]);
  CHECK(child.sequence.pages()[2] != parent.sequence.pages()[2]);
  CHECK(parent.sequence.pages_needed(8) == 0);  // the parent is alone on its open page again
  append_tokens(parent, 8, &next);
  CHECK(equal(parent));
  CHECK(equal(child));
}

TEST_CASE("kv/sequence: a fork inside a full page of the parent, and at a page's end") {
  PagePool pool(PageLayout(1, 1, 4, 8, true), 8);
  uint32_t next = 0;
  Twin parent{Sequence(pool), {}};
  append_tokens(parent, 16, &next);
  Twin inside{parent.sequence.fork(5), {parent.tokens.begin(), parent.tokens.begin() + 5}};
  Twin end{parent.sequence.fork(8), {parent.tokens.begin(), parent.tokens.begin() + 8}};
  Twin empty{parent.sequence.fork(0), {}};
  CHECK(empty.sequence.pages().empty());
  CHECK(end.sequence.pages_needed(1) == 1);
  append_tokens(inside, 2, &next);
  append_tokens(end, 2, &next);
  append_tokens(empty, 2, &next);
  for (Twin* twin : {&parent, &inside, &end, &empty}) CHECK(equal(*twin));
  CHECK(8 - pool.n_free() == 5);
}

TEST_CASE("kv/sequence: truncate releases pages, and moving leaves nothing behind") {
  PagePool pool(PageLayout(1, 1, 4, 4, true), 8);
  {
    Sequence a(pool);
    a.append(13);
    a.truncate(4);
    CHECK(a.pages().size() == 1);
    CHECK(pool.n_free() == 7);
    Sequence b(std::move(a));
    CHECK(a.length() == 0);
    CHECK(b.length() == 4);
    Sequence c(pool);
    c.append(5);
    c = std::move(b);
    CHECK(c.length() == 4);
  }
  CHECK(pool.n_free() == 8);
}

TEST_CASE("kv/sequence: the last of several appenders keeps the shared open page") {
  PagePool pool(PageLayout(1, 1, 4, 8, true), 4);
  Sequence parent(pool);
  parent.append(3);
  Sequence a = parent.fork(3), b = parent.fork(3);
  std::array<Sequence*, 3> all{&parent, &a, &b};
  std::array<int64_t, 3> one{1, 1, 1}, two{1, 1, 0};
  CHECK(pages_needed(all, one) == 2);
  CHECK(pages_needed(all, two) == 2);
  for (Sequence* s : all) s->append(1);
  CHECK(pool.n_free() == 1);
}

// Every number of free pages from none to enough: either all pages come, or nothing changes at all.
TEST_CASE("kv/sequence: exhaustion at each allocation changes nothing") {
  for (size_t capacity = 2; capacity < 9; ++capacity) {
    PagePool pool(PageLayout(2, 2, 6, 4, true), capacity);
    uint32_t next = 0;
    std::vector<Twin> twins;
    twins.push_back({Sequence(pool), {}});
    append_tokens(twins[0], 6, &next);
    twins.push_back({twins[0].sequence.fork(6), twins[0].tokens});
    const std::vector<PageId> before(twins[1].sequence.pages().begin(), twins[1].sequence.pages().end());
    const size_t n_free = pool.n_free();
    const size_t needed = twins[1].sequence.pages_needed(20);  // a copy and five more
    CHECK(needed == 6);
    if (needed <= n_free) {
      append_tokens(twins[1], 20, &next);
      CHECK(pool.n_free() == n_free - needed);
    } else {
      CHECK_THROWS_AS(twins[1].sequence.append(20), Error);
      CHECK(pool.n_free() == n_free);
      CHECK(std::vector<PageId>(twins[1].sequence.pages().begin(), twins[1].sequence.pages().end()) == before);
    }
    CHECK(references_close(pool, twins));
    for (Twin& twin : twins) CHECK(equal(twin));
  }
}

void random_step(std::vector<Twin>& twins, PagePool& pool, std::mt19937& rng, uint32_t* next) {
  const size_t i = rng() % twins.size();
  Twin& twin = twins[i];
  const size_t length = twin.tokens.size();
  switch (rng() % 8) {
    case 0:
    case 1: {
      if (twins.size() >= 12) break;
      const auto at = static_cast<std::ptrdiff_t>(rng() % (length + 1));
      twins.push_back({twin.sequence.fork(at), {twin.tokens.begin(), twin.tokens.begin() + at}});
      break;
    }
    case 2: {
      const size_t at = rng() % (length + 1);
      twin.sequence.truncate(static_cast<int64_t>(at));
      twin.tokens.resize(at);
      break;
    }
    case 3:
      if (twins.size() > 1) twins.erase(twins.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    default: {
      const auto n = static_cast<int64_t>(rng() % 2 == 0 ? 1 + rng() % 3 : rng() % 70);
      const bool fits = twin.sequence.pages_needed(n) <= pool.available();
      if (fits) {
        append_tokens(twin, n, next);
      } else {
        CHECK_THROWS_AS(twin.sequence.append(n), Error);
      }
    }
  }
}

TEST_CASE("kv/sequence: random forks, appends, truncations and releases equal plain vectors") {
  for (size_t page = 1; page <= 256; page *= 2) {
    for (const size_t capacity : {size_t{0}, 600 / page + 3}) {
      PagePool pool(PageLayout(1, 2, 6, page, true), capacity);
      std::mt19937 rng(static_cast<uint32_t>(page * 7 + capacity));
      std::vector<Twin> twins;
      twins.push_back({Sequence(pool), {}});
      uint32_t next = 0;
      for (int step = 0; step < 300; ++step) {
        random_step(twins, pool, rng, &next);
        if (step % 10 != 0) continue;
        REQUIRE(references_close(pool, twins));
        for (Twin& twin : twins) REQUIRE(equal(twin));
      }
      twins.clear();
      CHECK(pool.n_free() == pool.n_pages());
      for (PageId p = 0; p < pool.n_pages(); ++p) CHECK(pool.refs(p) == 0);
    }
  }
}

}  // namespace
}  // namespace nxs::kv
