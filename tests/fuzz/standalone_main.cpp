// SPDX-License-Identifier: Apache-2.0 OR MIT
// PROGRAM [COUNT [FIRST]]: the corpus, then mutations FIRST .. FIRST + COUNT - 1 of it. PROGRAM FILE: that input alone.
// The number of a mutation that ends the process is printed; `PROGRAM 1 NUMBER` runs it again.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "fuzz/fuzz_target.h"
#include "fuzz/mutate.h"

namespace {

constexpr size_t kHeaderBytes = 4096;  // where the structure is, in the files of the corpus
volatile uint64_t current = 0;

extern "C" void report(int signal) {
  std::fprintf(stderr, "mutation %llu ended the process\n", static_cast<unsigned long long>(current));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const std::vector<uint8_t>& input) {
  // Exactly as large as the input, so that a sanitizer sees each byte read past the end.
  const std::vector<uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

int run_file(std::ifstream& file) {
  run({std::istreambuf_iterator<char>(file), {}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    if (std::ifstream file(argv[1], std::ios::binary); file) return run_file(file);
  }
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  for (const int signal : {SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGBUS}) std::signal(signal, report);
  const auto corpus = nxs::test::fuzz_corpus();
  for (const auto& input : corpus) run(input);
  for (uint64_t i = first; i < first + count; ++i) {
    current = i;
    run(nxs::test::mutate(corpus[i % corpus.size()], i, kHeaderBytes));
  }
  std::printf("%zu inputs and %llu mutations\n", corpus.size(), static_cast<unsigned long long>(count));
  return 0;
}
