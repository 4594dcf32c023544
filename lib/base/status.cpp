// SPDX-License-Identifier: Apache-2.0 OR MIT
// Messages: formatted without the heap where they are short, made valid UTF-8, and cut in the middle where they are
// long (the start names the thing, the end the place).
#include "base/status.h"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nxs {
namespace {

using Byte = unsigned char;

bool is_continuation(char c) {
  return (static_cast<Byte>(c) & 0xC0) == 0x80;
}

/// Bytes of the well-formed UTF-8 sequence at s (which ends in NUL), or 0 where there is none.
size_t sequence_length(const char* s) {
  const Byte lead = static_cast<Byte>(s[0]);
  if (lead < 0x80) return 1;
  const size_t n = lead >= 0xC2 && lead <= 0xDF ? 2 : (lead & 0xF0) == 0xE0 ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  for (size_t i = 1; i < n; ++i) {
    if (!is_continuation(s[i])) return 0;
  }
  const Byte second = n > 2 ? static_cast<Byte>(s[1]) : Byte{0};
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : n;
}

/// Paths and names from files may hold any bytes; what is no UTF-8 becomes '?', byte by byte.
void make_valid(char* s) {
  while (*s != '\0') {
    const size_t n = sequence_length(s);
    if (n == 0) *s = '?';
    s += n == 0 ? 1 : n;
  }
}

/// Copies valid UTF-8 into an error, keeping whole characters of both ends where it does not fit.
void store(const char* text, Error& error) {
  constexpr size_t kRoom = sizeof error.message - 1;
  constexpr size_t kEnd = (kRoom - 3) / 2;
  const size_t n = std::strlen(text);
  if (n <= kRoom) {
    std::memcpy(error.message, text, n + 1);
    return;
  }
  size_t head = kEnd;
  while (head > 0 && is_continuation(text[head])) --head;
  size_t tail = n - kEnd;
  while (is_continuation(text[tail])) ++tail;
  std::memcpy(error.message, text, head);
  std::memcpy(error.message + head, "...", 3);
  std::memcpy(error.message + head + 3, text + tail, n - tail + 1);
}

}  // namespace

void fail(Status status, const char* format, ...) {
  Error error{};
  error.status = status;
  char local[2048];
  char* text = local;
  std::va_list args;
  va_start(args, format);
  std::va_list again;
  va_copy(again, args);
  const int needed = std::vsnprintf(local, sizeof local, format, args);
  if (needed < 0) {
    std::snprintf(local, sizeof local, "%s", format);
  } else if (static_cast<size_t>(needed) >= sizeof local) {
    // Its end counts too. Without memory for it, what was written so far has to do.
    const size_t size = static_cast<size_t>(needed) + 1;
    if (char* whole = static_cast<char*>(std::malloc(size))) {
      text = whole;
      std::vsnprintf(text, size, format, again);
    }
  }
  va_end(again);
  va_end(args);
  make_valid(text);
  store(text, error);
  if (text != local) std::free(text);
  throw error;
}

}  // namespace nxs
