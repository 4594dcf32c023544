// SPDX-License-Identifier: Apache-2.0 OR MIT
// One pass over the text, number by number. Each rule is a case that other extractors were seen to get wrong.
#include "decode/answer.h"

#include <algorithm>
#include <vector>

#include "text/utf8.h"

namespace nxs::decode {

namespace {

constexpr std::string_view kMinusSign = "\u2212", kFractionSlash = "\u2044";
constexpr std::string_view kRunOn = "\n\nQuestion:", kBlanks = " \t\r\n";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Number {
  std::string digits;    ///< before the decimal point, without commas
  std::string fraction;  ///< behind it
  bool negative = false;
  bool plain = true;  ///< no exponent, fraction or second point
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
  bool point_at(size_t i) const { return starts_at(i, ".") && digit_at(i + 1); }
  bool group_at(size_t i) const;
  bool ends_before(size_t end, std::string_view what) const { return text_.substr(0, end).ends_with(what); }
  bool starts_at(size_t i, std::string_view what) const {
    return i < text_.size() && text_.substr(i).starts_with(what);
  }
  bool joined_before(size_t end) const;
  bool begins_number(size_t i) const;
  size_t behind_sign(size_t i) const;
  bool is_unclosed(size_t brace);
  bool skip_fraction_command();
  bool skip_argument();
  void take_sign(Number& number);
  void take_integer(Number& number);
  void take_fraction(Number& number);
  bool take_rest();
  void take_exponent();
  bool take_bar();
  std::string_view take_digits();

  std::string_view text_;
  size_t at_ = 0, begin_ = 0;
  size_t loose_end_ = 0;  ///< commas before this do not group: their groups are not all of three digits
  std::optional<std::vector<size_t>> unclosed_;
};

/// A comma and three digits, no more.
bool Scanner::group_at(size_t i) const {
  return starts_at(i, ",") && digit_at(i + 1) && digit_at(i + 2) && digit_at(i + 3) && !digit_at(i + 4);
}

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

/// The place behind a sign, where one stands at i.
size_t Scanner::behind_sign(size_t i) const {
  for (const std::string_view sign : {std::string_view("-"), std::string_view("+"), kMinusSign}) {
    if (starts_at(i, sign)) return i + sign.size();
  }
  return i;
}

/// Braces that nothing closes, found once for the whole text: looking from each of them would be quadratic.
bool Scanner::is_unclosed(size_t brace) {
  if (!unclosed_) {
    unclosed_.emplace();
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '{') {
        unclosed_->push_back(i);
      } else if (text_[i] == '}' && !unclosed_->empty()) {
        unclosed_->pop_back();
      }
    }
  }
  return std::binary_search(unclosed_->begin(), unclosed_->end(), brace);
}

/// An argument of a TeX command: a group, a command or one character. False at the end and where a group is not closed:
/// it is over at a blank or '$' then.
bool Scanner::skip_argument() {
  at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  if (at_ == text_.size()) return false;
  if (text_[at_] == '{' && is_unclosed(at_)) {
    at_ = std::min(text_.find_first_of(" \t\r\n$", at_), text_.size());
    return false;
  }
  size_t depth = 0;
  do {
    const char c = text_[at_++];
    if (c == '{') ++depth;
    if (c == '}' && depth > 0) --depth;
    if (c != '\\' || at_ == text_.size()) continue;
    const bool is_word = is_letter(text_[at_++]);
    while (is_word && at_ < text_.size() && is_letter(text_[at_])) ++at_;
  } while (depth > 0 && at_ < text_.size());
  return true;
}

bool Scanner::skip_fraction_command() {
  if (!starts_at(at_, "\\")) return false;
  for (const std::string_view command : {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"}) {
    if (!starts_at(at_, command)) continue;
    const size_t end = at_ + command.size();
    if (end < text_.size() && is_letter(text_[end])) return false;  // another command
    at_ = end;
    if (skip_argument()) skip_argument();
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
  for (const std::string_view sign : {std::string_view("-"), std::string_view("+"), kMinusSign}) {
    if (!ends_before(at_, sign) || joined_before(at_ - sign.size())) continue;
    number.negative = sign != "+";
    begin_ = at_ - sign.size();
  }
  number.plain = !ends_before(begin_, "/") && !ends_before(begin_, kFractionSlash);
}

/// Digits with commas: either every group but the first has three of them, or the commas only separate. But what is no
/// number as a whole (1,00/3) is not taken to pieces.
void Scanner::take_integer(Number& number) {
  number.digits = take_digits();
  if (at_ <= loose_end_) return;
  const size_t first_end = at_;
  std::string all = number.digits;
  bool strict = !all.empty() && all.size() <= 3 && all[0] != '0';
  while (starts_at(at_, ",") && digit_at(at_ + 1)) {
    ++at_;
    const std::string_view group = take_digits();
    strict = strict && group.size() == 3;
    all += group;
  }
  if (strict) {
    number.digits = all;
  } else if (at_ > first_end) {
    loose_end_ = at_;
    Number last;
    take_fraction(last);
    if (take_rest()) {
      number.plain = false;
    } else {
      at_ = first_end;
    }
  }
}

/// A second point, or a group of digits behind a point, leaves no number.
void Scanner::take_fraction(Number& number) {
  while (point_at(at_) || (!number.fraction.empty() && group_at(at_))) {
    if (!number.fraction.empty()) number.plain = false;
    ++at_;
    number.fraction = take_digits();
  }
}

/// What makes a number none: an exponent, a fraction's bar with what stands below it, a \frac right behind (3\frac12).
bool Scanner::take_rest() {
  const size_t from = at_;
  take_exponent();
  while (take_bar()) take_exponent();
  skip_fraction_command();
  return at_ > from;
}

void Scanner::take_exponent() {
  if (!starts_at(at_, "e") && !starts_at(at_, "E")) return;
  const size_t digits = behind_sign(at_ + 1);
  if (!digit_at(digits)) return;
  at_ = digits;
  take_digits();
}

bool Scanner::take_bar() {
  for (const std::string_view bar : {std::string_view("/"), kFractionSlash}) {
    if (!starts_at(at_, bar)) continue;
    const size_t above = at_;
    at_ = behind_sign(at_ + bar.size());
    if (skip_fraction_command()) return true;
    if (!digit_at(at_) && !point_at(at_)) {
      at_ = above;
      return false;
    }
    take_digits();
    while (starts_at(at_, ",") && digit_at(at_ + 1)) {
      ++at_;
      take_digits();
    }
    Number number;
    take_fraction(number);
    return true;
  }
  return false;
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
    if (take_rest()) number.plain = false;
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
template <typename Extract>
Answer first_part(std::string_view text, Extract&& extract_from) {
  for (;;) {
    const size_t run_on = text.find(kRunOn);
    Answer answer = extract_from(text.substr(0, run_on));
    if (answer || run_on == std::string_view::npos) return answer;
    text.remove_prefix(run_on + kRunOn.size());
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// A text that is one number and nothing else, but for the end of a sentence.
Answer single_number(std::string_view text) {
  if (text.ends_with('.') && !text.ends_with("..")) text.remove_suffix(1);
  Scanner scanner(text);
  const std::optional<Number> number = scanner.next();
  if (!number || !number->plain || scanner.begin() != 0 || scanner.at() != text.size()) return std::nullopt;
  return written(*number);
}

/// Boxes may lie in each other and may be cut off by the end of the text; of the whole ones the last to begin wins. An
/// answer is text that a NUL ends (nxs_vote_answer), so a box with one in it is passed over.
Answer last_box(std::string_view text) {
  constexpr std::string_view kBox = "\\boxed{";
  constexpr size_t kOtherBrace = SIZE_MAX;
  std::vector<size_t> open;  // where the content of each open brace's box begins
  size_t begin = 0, behind_nul = 0;
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
      if (from == kOtherBrace || from < begin || from < behind_nul) continue;
      const std::string_view content = trimmed(text.substr(from, i - from));
      if (content.empty()) continue;
      begin = from;
      found = content;
    }
    if (i < text.size() && text[i] == '\0') behind_nul = i + 1;
  }
  if (found.empty()) return std::nullopt;
  const Answer number = single_number(found);
  return number ? number : Answer(found);
}

}  // namespace

Answer last_integer(std::string_view text) {
  return first_part(text, [](std::string_view part) { return last_in(part, false); });
}

Answer last_number(std::string_view text) {
  return first_part(text, [](std::string_view part) { return last_in(part, true); });
}

Answer boxed(std::string_view text) {
  return first_part(text, last_box);
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
