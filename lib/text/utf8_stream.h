// SPDX-License-Identifier: Apache-2.0 OR MIT
// Cuts a stream of token bytes into whole UTF-8 characters.
#pragma once

#include <string>
#include <string_view>

namespace nxs::text {

class Utf8Stream {
 public:
  /// Appends bytes; returns those (from the front) that now form whole characters. Bytes that can never be part of a
  /// character come through as soon as that is known. Borrowed until the next call.
  std::string_view push(std::string_view bytes);
  /// The unfinished rest; empties the stream.
  std::string_view finish();

 private:
  std::string pending_, ready_;
};

}  // namespace nxs::text
