// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <algorithm>

#include "bench/bench.h"
#include "output.h"

namespace cli::bench {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

void Measures::add(const std::string& name, const char* unit, double value) {
  for (Series& series : series_) {
    if (series.name != name) continue;
    series.values.push_back(value);
    return;
  }
  series_.push_back({name, unit, {value}});
}

double Measures::last(const std::string& name) const {
  for (const Series& series : series_) {
    if (series.name == name) return series.values.back();
  }
  throw std::logic_error("bench: nothing measured " + name);
}

Json Measures::to_json() const {
  Json object = Json::object();
  for (const Series& series : series_) {
    const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
    object[series.name] = {{"unit", series.unit},
                           {"median", median(series.values)},
                           {"least", *least},
                           {"most", *most},
                           {"rounds", series.values}};
  }
  return object;
}

void Measures::keep(size_t n_rounds) {
  for (Series& series : series_) series.values.resize(std::min(series.values.size(), n_rounds));
  std::erase_if(series_, [](const Series& series) { return series.values.empty(); });
}

void Measures::print() const {
  cli::print("%-28s %12s %12s %12s  %s\n", "", "median", "least", "most", "unit");
  for (const Series& series : series_) {
    const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
    cli::print("%-28s %12.4g %12.4g %12.4g  %s\n", series.name.c_str(), median(series.values), *least, *most,
               series.unit.c_str());
  }
}

}  // namespace cli::bench
