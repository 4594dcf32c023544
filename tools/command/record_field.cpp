// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "record_field.h"

#include <cmath>
#include <stdexcept>

namespace cli {

namespace {

constexpr double kBeyondIntegers = 9223372036854775808.0;  // 2^63

/// A value as a message shows it.
std::string shown(const Json& value) {
  constexpr size_t kMost = 60;
  const std::string text = dump(value);
  return text.size() <= kMost ? text : "this " + std::string(value.type_name());
}

}  // namespace

void Field::refuse(const std::string& why) const {
  throw std::runtime_error((place_.empty() ? "" : place_ + ": ") + why);
}

Field Field::at(const char* key) const {
  if (!value_->is_object()) refuse(shown(*value_) + " is no object");
  const auto found = value_->find(key);
  const std::string place = place_.empty() ? key : place_ + "." + key;
  if (found == value_->end()) throw std::runtime_error(place + ": missing; without it nothing can be run again");
  return {*found, place};
}

std::vector<Field> Field::items() const {
  if (!value_->is_array()) refuse(shown(*value_) + " is no array");
  std::vector<Field> fields;
  fields.reserve(value_->size());
  for (const Json& value : *value_) fields.push_back({value, place_ + "[" + std::to_string(fields.size()) + "]"});
  return fields;
}

int64_t Field::integer(int64_t least, int64_t most) const {
  // The parser makes floats of integers that 64 bits do not hold.
  const bool beyond = value_->is_number_float() ? std::abs(value_->get<double>()) >= kBeyondIntegers
                                                : value_->is_number_unsigned() && value_->get<uint64_t>() > INT64_MAX;
  if (!beyond && !value_->is_number_integer()) refuse(shown(*value_) + " is no whole number");
  const int64_t value = beyond ? 0 : value_->get<int64_t>();
  if (beyond || value < least || value > most) refuse(shown(*value_) + " is out of range");
  return value;
}

void Field::store(float& into, float least, float most) const {
  if (!value_->is_number()) refuse(shown(*value_) + " is no number");
  const auto value = value_->get<double>();
  const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  if (!fits || static_cast<float>(value) < least || static_cast<float>(value) > most) {
    refuse(shown(*value_) + " is out of range");
  }
  into = static_cast<float>(value);
}

bool Field::flag() const {
  if (!value_->is_boolean()) refuse(shown(*value_) + " is neither true nor false");
  return value_->get<bool>();
}

std::string Field::text() const {
  if (!value_->is_string()) refuse(shown(*value_) + " is no text");
  return value_->get<std::string>();
}

std::string Field::text_not_empty() const {
  std::string value = text();
  if (value.empty()) refuse("an empty text");
  return value;
}

}  // namespace cli
