// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "invariance/prompts.h"

#include "support/owners.h"

namespace nxs::test {

std::vector<int32_t> chat_tokens(const nxs_model* model, const std::string& text) {
  const nxs_message message = {"user", text.data(), text.size()};
  nxs_error error;
  size_t n = 0;
  must(nxs_chat_format(nullptr, 0, &n, model, &message, 1, NXS_CHAT_REPLY, &error), error, "nxs_chat_format");
  std::vector<int32_t> tokens(n);
  must(nxs_chat_format(tokens.data(), n, &n, model, &message, 1, NXS_CHAT_REPLY, &error), error, "nxs_chat_format");
  return tokens;
}

}  // namespace nxs::test
