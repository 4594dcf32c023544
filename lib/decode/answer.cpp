// SPDX-License-Identifier: Apache-2.0 OR MIT
// One pass over the text, number by number. Each rule is a case that other extractors were seen to get wrong.
#include "decode/answer.h"

#include <vector>

#include "text/utf8.h"

namespace nxs::decode {

namespace {

constexpr std::string_view kMinusSign = "\u2212", kFractionSlash = "\u2044";
constexpr std::string_view kRunOn = "\n\nQuestion:";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Number {
  std::string digits;    ///< before the decimal point, without commas
  std::string fraction;  ///< behind it
  bool negative = false;
  bool plain = true;  ///< no exponent, fraction bar or second point
};

/// As it is compared: no zeros that say nothing, no minus before zero.
std::string written(const Number& number) {
  const size_t first = number.digits.find_first_not_of('0'), last = number.fraction.find_last_not_of('0');
  std::string text = first == std::string::npos ? "0" : number.digits.substr(first);
  if (last != std::string::npos) text += "." + number.fraction.substr(0, last + 1);
  return number.negative && text != "0" ? "-" + text : text;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next number; nullopt at the end.
  std::optional<Number> next();
  /// Where the last number ended.
  size_t at() const { return at_; }
  /// Where it began, sign included.
  size_t begin() const { return begin_; }

 private:
  bool digit_at(size_t i) const { return i < text_.size() && is_digit(text_[i]); }
  bool ends_before(size_t end, std::string_view what) const { return text_.substr(0, end).ends_with(what); }
  bool starts_at(size_t i, std::string_view what) const { return text_.substr(i).starts_with(what); }
  bool joined_before(size_t end) const;
  bool begins_number(size_t i) const;
  bool skip_fraction_command();
  void skip_argument();
  void take_sign(Number& number);
  void take_integer(Number& number);
  void take_fraction(Number& number);
  void take_rest(Number& number);
  std::string_view take_digits();

  std::string_view text_;
  size_t at_ = 0, begin_ = 0;
  size_t loose_end_ = 0;  ///< commas before this do not group: their groups are not all of three digits
};

/// A digit, a letter or a closing bracket stands right before `end`.
bool Scanner::joined_before(size_t end) const {
  if (end == 0) return false;
  size_t first = end - 1;
  while (first > 0 && end - first < 4 && (static_cast<unsigned char>(text_[first]) & 0xC0) == 0x80) --first;
  const std::string_view character = text_.substr(first, end - first);
  if (text::utf8_length(character) != character.size()) return false;
  return character == ")" || character == "]" || character == "}" || text::is_word(text::utf8_decode(character));
}

/// A point begins a number only where it ends neither a word nor an ellipsis.
bool Scanner::begins_number(size_t i) const {
  if (digit_at(i)) return true;
  return text_[i] == '.' && digit_at(i + 1) && !joined_before(i) && !ends_before(i, ".");
}

/// An argument of a TeX command: a group, or one character.
void Scanner::skip_argument() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  size_t depth = 0;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '{') ++depth;
    if (text_[at_] == '}' && depth > 0) --depth;
    if (depth == 0) break;
  }
  if (at_ < text_.size()) ++at_;
}

bool Scanner::skip_fraction_command() {
  if (text_[at_] != '\\') return false;
  for (const std::string_view command : {"\\frac", "\\dfrac", "\\tfrac"}) {
    if (!starts_at(at_, command)) continue;
    at_ += command.size();
    skip_argument();
    skip_argument();
    return true;
  }
  return false;
}

std::string_view Scanner::take_digits() {
  const size_t first = at_;
  while (digit_at(at_)) ++at_;
  return text_.substr(first, at_ - first);
}

void Scanner::take_sign(Number& number) {
  for (const std::string_view sign : {std::string_view("-"), kMinusSign}) {
    if (ends_before(at_, sign) && !joined_before(at_ - sign.size())) {
      number.negative = true;
      begin_ = at_ - sign.size();
    }
  }
  number.plain = !ends_before(begin_, "/") && !ends_before(begin_, kFractionSlash);
}

/// Digits with commas: either every group but the first has three of them, or the commas only separate.
void Scanner::take_integer(Number& number) {
  number.digits = take_digits();
  if (at_ <= loose_end_) return;
  const size_t first_end = at_;
  std::string all = number.digits;
  bool strict = !all.empty() && all.size() <= 3 && all[0] != '0';
  while (at_ < text_.size() && text_[at_] == ',' && digit_at(at_ + 1)) {
    ++at_;
    const std::string_view group = take_digits();
    strict = strict && group.size() == 3;
    all += group;
  }
  if (strict) {
    number.digits = all;
  } else {
    loose_end_ = at_;
    at_ = first_end;
  }
}

void Scanner::take_fraction(Number& number) {
  while (at_ < text_.size() && text_[at_] == '.' && digit_at(at_ + 1)) {
    if (!number.fraction.empty()) number.plain = false;
    ++at_;
    number.fraction = take_digits();
  }
}

/// Exponent, and the bar of a fraction.
void Scanner::take_rest(Number& number) {
  if (at_ >= text_.size()) return;
  if (text_[at_] == 'e' || text_[at_] == 'E') {
    const size_t sign = starts_at(at_ + 1, "-") || starts_at(at_ + 1, "+") ? 1 : 0;
    if (digit_at(at_ + 1 + sign)) {
      number.plain = false;
      at_ += 1 + sign;
      take_digits();
    }
  }
  for (const std::string_view bar : {std::string_view("/"), kFractionSlash}) {
    if (!starts_at(at_, bar)) continue;
    const size_t behind = at_ + bar.size(), sign = starts_at(behind, "-") || starts_at(behind, "+") ? 1 : 0;
    if (digit_at(behind + sign)) number.plain = false;
  }
}

std::optional<Number> Scanner::next() {
  while (at_ < text_.size()) {
    if (skip_fraction_command()) continue;
    if (!begins_number(at_)) {
      ++at_;
      continue;
    }
    Number number;
    begin_ = at_;
    take_sign(number);
    take_integer(number);
    take_fraction(number);
    take_rest(number);
    return number;
  }
  return std::nullopt;
}

Answer last_in(std::string_view text, bool decimals) {
  Scanner scanner(text);
  Answer answer;
  while (const std::optional<Number> number = scanner.next()) {
    const bool whole = number->fraction.find_first_not_of('0') == std::string::npos;
    if (number->plain && (whole || decimals)) answer = written(*number);
  }
  return answer;
}

/// Of the parts between run-on markers, the first that has an answer.
Answer last(std::string_view text, bool decimals) {
  for (;;) {
    const size_t run_on = text.find(kRunOn);
    Answer answer = last_in(text.substr(0, run_on), decimals);
    if (answer || run_on == std::string_view::npos) return answer;
    text.remove_prefix(run_on + kRunOn.size());
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// A text that is one number and nothing else.
Answer single_number(std::string_view text) {
  Scanner scanner(text.starts_with('+') ? text.substr(1) : text);
  const std::optional<Number> number = scanner.next();
  const size_t plus = text.starts_with('+') ? 1 : 0;
  if (!number || !number->plain || scanner.begin() != 0 || scanner.at() + plus != text.size()) return std::nullopt;
  return written(*number);
}

}  // namespace

Answer last_integer(std::string_view text) {
  return last(text, false);
}

Answer last_number(std::string_view text) {
  return last(text, true);
}

/// Boxes may lie in each other and may be cut off by the end of the text; of the whole ones the last to begin wins.
Answer boxed(std::string_view text) {
  constexpr std::string_view kBox = "\\boxed{";
  constexpr size_t kOtherBrace = SIZE_MAX;
  std::vector<size_t> open;  // where the content of each open brace's box begins
  size_t begin = 0;
  std::string_view found;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kBox)) {
      i += kBox.size() - 1;
      open.push_back(i + 1);
    } else if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      open.push_back(kOtherBrace);
    } else if (text[i] == '}' && !open.empty()) {
      const size_t from = open.back();
      open.pop_back();
      if (from == kOtherBrace || from < begin) continue;
      const std::string_view content = trimmed(text.substr(from, i - from));
      if (content.empty() || content.find('\0') != std::string_view::npos) continue;
      begin = from;
      found = content;
    }
  }
  if (found.empty()) return std::nullopt;
  const Answer number = single_number(found);
  return number ? number : Answer(found);
}

Answer extract(Extractor extractor, std::string_view text) {
  switch (extractor) {
    case Extractor::kLastInteger:
      return last_integer(text);
    case Extractor::kLastNumber:
      return last_number(text);
    case Extractor::kBoxed:
      return boxed(text);
    case Extractor::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace nxs::decode
