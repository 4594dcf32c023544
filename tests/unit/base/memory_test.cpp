// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/memory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

using nxs::Buffer;

TEST_CASE("base/memory: zeroed and aligned at every size, on both sides of the seam") {
  constexpr size_t kMiB = size_t{1} << 20;
  for (const size_t n :
       {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, 4 * kMiB - 1, 4 * kMiB, 4 * kMiB + 1, 9 * kMiB + 77}) {
    CAPTURE(n);
    for (int round = 0; round < 2; ++round) {
      unsigned char* p = static_cast<unsigned char*>(nxs::allocate(n, "test"));
      const size_t alignment = n >= 4 * kMiB ? 2 * kMiB : 64;
      CHECK(reinterpret_cast<uintptr_t>(p) % alignment == 0);
      CHECK(std::all_of(p, p + n, [](unsigned char c) { return c == 0; }));
      std::fill(p, p + n, static_cast<unsigned char>(0xA5));  // the second round must not see it
      nxs::release(p, n);
    }
  }
  CHECK(nxs::allocate(0, "nothing") == nullptr);
  nxs::release(nullptr, 0);
}

TEST_CASE("base/memory: too much is Status::kMemory and says for what") {
  for (const size_t n : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2, size_t{1} << 50}) {
    try {
      nxs::allocate(n, "the key cache");
      FAIL("no error for ", n);
    } catch (const nxs::Error& e) {
      CHECK(e.status == nxs::Status::kMemory);
      CHECK(std::string(e.message).find("the key cache") != std::string::npos);
    }
  }
  CHECK_THROWS_AS(Buffer<double>(SIZE_MAX / 4, "doubles"), nxs::Error);
}

TEST_CASE("base/memory: a buffer has one owner") {
  Buffer<int> a(100, "a");
  CHECK(a.size() == 100);
  CHECK(a.bytes() == 100 * sizeof(int));
  CHECK(a[99] == 0);
  a[7] = 42;
  int* const data = a.data();
  Buffer<int> b = std::move(a);
  CHECK(b.data() == data);
  CHECK(b.span()[7] == 42);
  Buffer<int> c(5, "c");
  c = std::move(b);
  CHECK(c[7] == 42);
  CHECK(c.size() == 100);
  CHECK(Buffer<int>().size() == 0);
}
