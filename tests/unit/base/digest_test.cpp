// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/digest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using nxs::Digest;
using nxs::digest_of;
using nxs::Hasher;

TEST_CASE("base/digest: XXH3-128 of known texts, low half first") {
  // `printf "" | xxh128sum` prints 99aa06d3014798d86001c324468d497f, high half first.
  CHECK(digest_of("", 0).hex() == "7f498d4624c30160d8984701d306aa99");
  CHECK(digest_of(nullptr, 0) == digest_of("", 0));
  CHECK(digest_of("a", 1) != digest_of("b", 1));
  CHECK(Digest{}.hex() == std::string(32, '0'));
}

TEST_CASE("base/digest: in pieces or in one, also when asked in between") {
  std::vector<unsigned char> data(100'000);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 37 + (i >> 8));
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{64}, size_t{4096}, data.size()}) {
    Hasher h;
    for (size_t at = 0; at < data.size(); at += piece) h.bytes(data.data() + at, std::min(piece, data.size() - at));
    CHECK(h.finish() == digest_of(data.data(), data.size()));
  }
  Hasher h;
  h.bytes(data.data(), 500);
  CHECK(h.finish() == digest_of(data.data(), 500));
  Hasher copy(h);
  h.bytes(data.data() + 500, 500);
  CHECK(h.finish() == digest_of(data.data(), 1000));
  CHECK(copy.finish() == digest_of(data.data(), 500));
}

TEST_CASE("base/digest: numbers enter little-endian and texts with their length") {
  Hasher h;
  h.u8(0x01);
  h.u32(0x05040302);
  h.u64(0x0d0c0b0a09080706);
  h.f32(-0.0f);
  h.text("nxs", 3);
  const unsigned char expected[] = {1, 2, 3,    4, 5, 6, 7, 8, 9, 10, 11, 12,  13,  0,
                                    0, 0, 0x80, 3, 0, 0, 0, 0, 0, 0,  0,  'n', 'x', 's'};
  CHECK(h.finish() == digest_of(expected, sizeof expected));
  const Digest before = h.finish();
  h.digest(before);
  std::vector<unsigned char> longer(expected, expected + sizeof expected);
  longer.insert(longer.end(), before.bytes.begin(), before.bytes.end());
  CHECK(h.finish() == digest_of(longer.data(), longer.size()));
}
