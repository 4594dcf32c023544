// SPDX-License-Identifier: Apache-2.0 OR MIT
// Values of a record that somebody may have changed: each is read with its type and its range, for nlohmann's get()
// would cut a number to what fits.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "record.h"

namespace cli {

/// One value and where it stands. Its calls throw std::runtime_error as in "params.top_k: 4294967336 is out of range".
class Field {
 public:
  explicit Field(const Json& record) : value_(&record) {}

  Field at(const char* key) const;
  std::vector<Field> items() const;

  int64_t integer(int64_t least, int64_t most) const;
  /// Into a field of the library's parameters, within its type.
  template <typename T>
  void store(T& into, T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) const {
    into = static_cast<T>(integer(least, most));
  }
  void store(float& into, float least, float most) const;

  bool flag() const;
  std::string text() const;
  std::string text_not_empty() const;

 private:
  Field(const Json& value, std::string place) : value_(&value), place_(std::move(place)) {}
  [[noreturn]] void refuse(const std::string& why) const;

  const Json* value_;
  std::string place_;
};

}  // namespace cli
