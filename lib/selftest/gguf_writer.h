// SPDX-License-Identifier: Apache-2.0 OR MIT
// Writes GGUF version 3 into memory: what the tiny model and the tests of the loader need of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"

namespace nxs::selftest {

class GgufWriter {
 public:
  void u32(std::string_view key, uint32_t value);
  void f32(std::string_view key, float value);
  void boolean(std::string_view key, bool value);
  void text(std::string_view key, std::string_view value);
  void texts(std::string_view key, const std::vector<std::string>& values);
  void i32s(std::string_view key, const std::vector<int32_t>& values);
  /// shape[0] is the row length; `data` holds the elements in the type's file layout.
  void tensor(std::string_view name, tensor::DType type, const std::vector<uint64_t>& shape,
              const std::vector<uint8_t>& data);

  /// The file; its tensors lie in the order in which they came, aligned and padded to 32 bytes.
  std::vector<uint8_t> finish() const;

 private:
  void key(std::string_view name, uint32_t type);

  uint64_t n_values_ = 0, n_tensors_ = 0;
  std::vector<uint8_t> values_, table_, data_;
};

}  // namespace nxs::selftest
