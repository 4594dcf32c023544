// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kv/page_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/status.h"

namespace nxs::kv {
namespace {

TEST_CASE("kv/page_pool: each key and value row of a page has bytes of its own") {
  for (const bool f32 : {false, true}) {
    for (const size_t page : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
      const PageLayout layout(2, 3, 10, page, f32);
      CHECK(layout.lanes == std::min<size_t>(16, page));
      CHECK(layout.head_dim_padded == 16);
      std::set<size_t> starts;
      for (size_t l = 0; l < 2; ++l) {
        for (size_t h = 0; h < 3; ++h) {
          CHECK(layout.k_tile(l, h, 0) % 64 == 0);
          CHECK(layout.v_row(l, h, 0) % 64 == 0);
          for (size_t t = 0; t < page / layout.lanes; ++t) starts.insert(layout.k_tile(l, h, t));
          for (size_t s = 0; s < page; ++s) starts.insert(layout.v_row(l, h, s));
          CHECK(layout.v_row(l, h, page - 1) + 16 * layout.elem_bytes <= layout.page_bytes);
        }
      }
      CHECK(starts.size() == 6 * (page / layout.lanes + page));
    }
  }
}

TEST_CASE("kv/page_pool: page sizes other than powers of two up to 256 are refused") {
  for (const size_t page : {0u, 3u, 48u, 257u, 512u}) CHECK_THROWS_AS(PageLayout(1, 1, 4, page, false), Error);
}

TEST_CASE("kv/page_pool: an exhausted pool says so, in tokens, and changes nothing") {
  PagePool pool(PageLayout(1, 1, 4, 16, false), 3);
  for (PageId i = 0; i < 3; ++i) CHECK(pool.take() == i);
  CHECK(pool.available() == 0);
  try {
    pool.take();
    FAIL("took a fourth page of three");
  } catch (const Error& e) {
    CHECK(e.status == Status::kKvFull);
    CHECK(std::strstr(e.message, "16 tokens of KV cache (1 page of 16), 0 are free of 48") != nullptr);
  }
  CHECK(pool.n_free() == 0);
  CHECK(pool.n_pages() == 3);
  CHECK(pool.n_used_peak() == 3);
  pool.unref(1);
  CHECK(pool.take() == 1);
}

TEST_CASE("kv/page_pool: a page stays taken until its last reference goes, and is zeroed when taken again") {
  PagePool pool(PageLayout(1, 1, 4, 4, true), 1);
  const PageId page = pool.take();
  pool.ref(page);
  std::memset(pool.data(page), 0xff, pool.layout().page_bytes);
  pool.unref(page);
  CHECK(pool.refs(page) == 1);
  CHECK(pool.n_free() == 0);
  pool.unref(page);
  CHECK(pool.n_free() == 1);
  REQUIRE(pool.take() == page);
  const uint8_t* bytes = pool.data(page);
  CHECK(std::all_of(bytes, bytes + pool.layout().page_bytes, [](uint8_t b) { return b == 0; }));
}

TEST_CASE("kv/page_pool: a growing pool keeps addresses") {
  PagePool pool(PageLayout(4, 4, 256, 256, true), 0);  // 8 MiB a page: a slab each
  CHECK(pool.n_pages() == 0);
  CHECK(pool.available() == SIZE_MAX);
  const PageId first = pool.take();
  const uint8_t* at = pool.data(first);
  const PageId second = pool.take();
  CHECK(pool.data(first) == at);
  CHECK(pool.data(second) != at);
  CHECK(pool.bytes() == 2 * pool.layout().page_bytes);
}

}  // namespace
}  // namespace nxs::kv
