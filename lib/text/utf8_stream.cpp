// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/utf8_stream.h"

#include "text/utf8.h"

namespace nxs::text {

std::string_view Utf8Stream::push(std::string_view bytes) {
  ready_ = pending_;
  ready_ += bytes;
  const size_t rest = utf8_unfinished(ready_);
  pending_.assign(ready_, ready_.size() - rest);
  ready_.resize(ready_.size() - rest);
  return ready_;
}

std::string_view Utf8Stream::finish() {
  ready_.swap(pending_);
  pending_.clear();
  return ready_;
}

}  // namespace nxs::text
