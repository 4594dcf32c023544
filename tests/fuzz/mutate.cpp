// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "fuzz/mutate.h"

#include <algorithm>

#include "selftest/tiny_matrix.h"

namespace nxs::test {

namespace {

using selftest::IntegerDraws;

uint64_t interesting(IntegerDraws& draws) {
  constexpr uint64_t kValues[] = {0,  1,  2,   3,   7,     8,     13,         31,         32,
                                  33, 64, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
  const uint64_t value = kValues[draws.below(sizeof kValues / sizeof kValues[0])];
  switch (draws.below(6)) {
    case 0:
      return uint64_t{1} << draws.below(64);
    case 1:
      return ~value;
    case 2:
      return draws.next() >> draws.below(64);
    case 3:
      return (uint64_t{1} << draws.below(64)) - 1;
    default:
      return value;
  }
}

void write(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

void change(std::vector<uint8_t>& bytes, IntegerDraws& draws, size_t header) {
  if (bytes.empty()) return;
  const size_t reach = draws.below(2) == 0 ? std::min(header, bytes.size()) : bytes.size();
  const auto place = [&] { return size_t{draws.below(static_cast<uint32_t>(reach))}; };
  const size_t at = place();
  const auto here = bytes.begin() + static_cast<ptrdiff_t>(at);
  const auto span = std::min<ptrdiff_t>(1 + draws.below(64), bytes.end() - here);
  switch (draws.below(8)) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << draws.below(8));
      break;
    case 1:
      bytes[at] = static_cast<uint8_t>(draws.next());
      break;
    case 2:
      write(bytes, at, interesting(draws), 4);
      break;
    case 3:
      write(bytes, at, interesting(draws), 8);
      break;
    case 4:
      write(bytes, at, bytes[at] + (draws.below(2) == 0 ? 1ull : ~0ull), 1);
      break;
    case 5:
      bytes.resize(at);
      break;
    case 6:
      bytes.erase(here, here + span);
      break;
    default: {
      const std::vector<uint8_t> copy(here, here + span);
      bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(place()), copy.begin(), copy.end());
    }
  }
}

}  // namespace

std::vector<uint8_t> mutate(const std::vector<uint8_t>& input, uint64_t number, size_t header) {
  IntegerDraws draws(number);
  std::vector<uint8_t> bytes = input;
  for (uint32_t n = 1 + draws.below(4); n > 0; --n) change(bytes, draws, header);
  return bytes;
}

}  // namespace nxs::test
