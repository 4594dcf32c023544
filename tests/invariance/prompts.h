// SPDX-License-Identifier: Apache-2.0 OR MIT
// Published prompts for the gates on a real model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nxs.h"

namespace nxs::test {

/// `wanted` of them, evenly spread; all when there are no more, or wanted is 0.
template <typename T>
std::vector<T> evenly_spread(std::vector<T> all, size_t wanted) {
  if (wanted == 0 || wanted >= all.size()) return all;
  std::vector<T> some;
  for (size_t i = 0; i < wanted; ++i) some.push_back(std::move(all[i * all.size() / wanted]));
  return some;
}

/// A user's message in the model's chat format, up to where the reply begins.
std::vector<int32_t> chat_tokens(const nxs_model* model, const std::string& text);

}  // namespace nxs::test
