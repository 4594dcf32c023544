// SPDX-License-Identifier: Apache-2.0 OR MIT
// Logits of the double-precision oracle for given tokens: oracle_logits MODEL TOKENS OUT (formats as in
// peer_logits.cpp).
#include <fstream>
#include <iterator>

#include "support/oracle.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream in(argv[2]);
  const std::vector<int32_t> tokens{std::istream_iterator<int32_t>(in), {}};
  const nxs::test::Oracle oracle(*nxs::open_file(argv[1]));
  std::ofstream out(argv[3], std::ios::binary);
  for (const std::vector<double>& row : oracle.logits(tokens)) {
    const std::vector<float> rounded(row.begin(), row.end());
    out.write(reinterpret_cast<const char*>(rounded.data()),
              static_cast<std::streamsize>(rounded.size() * sizeof(float)));
  }
  return out.good() ? 0 : 1;
}
