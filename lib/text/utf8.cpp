// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "base/status.h"

namespace nxs::text {
namespace {

/// What the lead byte says: the length (0: never a lead) and the range that the second byte must lie in.
struct Lead {
  size_t length;
  uint8_t low, high;
};

constexpr Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2 || byte > 0xf4) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte < 0xf0) return {3, uint8_t(byte == 0xe0 ? 0xa0 : 0x80), uint8_t(byte == 0xed ? 0x9f : 0xbf)};
  return {4, uint8_t(byte == 0xf0 ? 0x90 : 0x80), uint8_t(byte == 0xf4 ? 0x8f : 0xbf)};
}

/// Whether the bytes after the lead are such as the lead allows, as far as they are there.
bool fits(std::string_view text, Lead lead) {
  for (size_t i = 1; i < lead.length && i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (i == 1 ? byte < lead.low || byte > lead.high : (byte & 0xc0) != 0x80) return false;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

/// Canonical decomposition. utf8proc's own ordering of combining marks is quadratic, so the runs are sorted here.
std::vector<utf8proc_int32_t> decompose(std::string_view text) {
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  size_t marks = 0;  // points[marks..] are combining marks, not yet in order
  const auto combining_class = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
  const auto sort_marks = [&](size_t end) {
    const auto begin = points.begin();
    std::stable_sort(begin + static_cast<ptrdiff_t>(marks), begin + static_cast<ptrdiff_t>(end),
                     [&](auto a, auto b) { return combining_class(a) < combining_class(b); });
  };
  while (!text.empty()) {
    const size_t n = utf8_length(text);
    utf8proc_int32_t parts[16];
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(utf8_decode(text.substr(0, n))), parts, 16,
                                               UTF8PROC_DECOMPOSE, &boundary);
    if (count < 0 || count > 16) fail(Status::kInternal, "NFC: utf8proc error %ld", static_cast<long>(count));
    for (ptrdiff_t i = 0; i < count; ++i) {
      points.push_back(parts[i]);
      if (combining_class(parts[i]) != 0) continue;
      sort_marks(points.size() - 1);
      marks = points.size();
    }
    text.remove_prefix(n);
  }
  sort_marks(points.size());
  return points;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Lead lead = lead_of(static_cast<uint8_t>(text[0]));
  return lead.length <= text.size() && fits(text, lead) ? lead.length : 0;
}

uint32_t utf8_decode(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first;
  uint32_t c = first & (0x7fu >> character.size());
  for (const char byte : character.substr(1)) c = c << 6 | (static_cast<uint8_t>(byte) & 0x3fu);
  return c;
}

size_t utf8_unfinished(std::string_view text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const std::string_view tail = text.substr(text.size() - n);
    const auto byte = static_cast<uint8_t>(tail[0]);
    if ((byte & 0xc0) == 0x80) continue;
    const Lead lead = lead_of(byte);
    return lead.length > n && fits(tail, lead) ? n : 0;
  }
  return 0;
}

size_t utf8_run(std::string_view text, bool valid) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t n = utf8_length(text.substr(end));
    if ((n != 0) != valid) break;
    end += valid ? n : 1;
  }
  return end;
}

bool is_word(uint32_t code_point) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO &&
         !(category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME);
}

std::string compose(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::vector<utf8proc_int32_t> points = decompose(text);
  const auto count = utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                                              static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (count < 0) fail(Status::kInternal, "NFC: utf8proc error %ld", static_cast<long>(count));
  std::string out;
  out.reserve(text.size());
  for (ptrdiff_t i = 0; i < count; ++i) {
    utf8proc_uint8_t bytes[4];
    const auto n = utf8proc_encode_char(points[static_cast<size_t>(i)], bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
  }
  return out;
}

}  // namespace nxs::text
