// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernel_check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/cpu.h"
#include "kernels/dispatch.h"

namespace nxs::kernels::check {
namespace {

constexpr Check kChecks[] = {
    {"dispatch", check_dispatch, nullptr},
    {"definition", check_definition, nullptr},
    {"matmul", check_matmul, bench_matmul},
    {"rms_norm", check_rms_norm, bench_rms_norm},
    {"quantize", check_quantize, bench_quantize},
    {"quantize_k", check_quantize_k, bench_quantize_k},
    {"pack_panel", check_pack_panel, bench_pack_panel},
    {"rotate", check_rotate, bench_rotate},
    {"store_kv", check_store_kv, bench_store_kv},
    {"attend", check_attend, bench_attend},
    {"attend_merge", check_attend_merge, bench_attend_merge},
    {"gate", check_gate, bench_gate},
    {"add", check_add, bench_add},
    {"argmax", check_argmax, bench_argmax},
    {"exp", check_exp, bench_exp},
    {"rope", check_rope, bench_rope},
    {"log", check_log, bench_log},
};

struct Options {
  Isa isa = Isa::kBest;
  bool all_tables = true;
  bool bench = false;
  bool exhaustive = false;
  uint64_t seed = 1;
  const char* name = nullptr;  // one check only
};

constexpr int kSkipped = 77;

int usage() {
  std::fprintf(stderr,
               "usage: kernel_check [--isa reference|avx2|avx512] [--seed N] [--exhaustive] [--bench] [NAME]\n"
               "Checks every kernel (or the one called NAME) of a table, by default of each that this CPU can run.\n");
  return 2;
}

bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const char* argument = argv[i];
    if (std::strcmp(argument, "--bench") == 0) {
      options->bench = true;
    } else if (std::strcmp(argument, "--exhaustive") == 0) {
      options->exhaustive = true;
    } else if (std::strcmp(argument, "--seed") == 0 && i + 1 < argc) {
      options->seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argument, "--isa") == 0 && i + 1 < argc) {
      options->all_tables = false;
      ++i;
      for (const Isa isa : {Isa::kReference, Isa::kAvx2, Isa::kAvx512}) {
        if (std::strcmp(argv[i], isa_name(isa)) == 0) options->isa = isa;
      }
      if (options->isa == Isa::kBest) return false;
    } else if (argument[0] != '-' && !options->name) {
      options->name = argument;
    } else {
      return false;
    }
  }
  return true;
}

// Whether the CPU has what `isa` needs, asked apart from the table.
bool cpu_has(Isa isa) {
  const CpuFeatures cpu = cpu_features();
  return isa == Isa::kReference || (isa == Isa::kAvx2 && cpu.avx2) || (isa == Isa::kAvx512 && cpu.avx512);
}

// Failures of the chosen checks on one table; a name that no check has is one.
size_t check_table(const Kernels& table, const Options& options) {
  size_t failures = 0;
  bool found = false;
  for (const Check& check : kChecks) {
    if (options.name && std::strcmp(options.name, check.name) != 0) continue;
    found = true;
    Run run(*portable_table(), table, check.name, options.seed, options.exhaustive);
    check.check(run);
    std::printf("%-10s %-14s %6zu rounds, %zu failures\n", table.name, check.name, run.rounds(), run.failures());
    failures += run.failures();
    if (run.rounds() == 0) ++failures;  // a check that did nothing proves nothing
  }
  if (!found) std::fprintf(stderr, "no check is called '%s'\n", options.name);
  return failures + (found ? 0 : 1);
}

void bench_table(const Kernels& table, const Options& options) {
  const Peaks peaks = measure_peaks(table.isa);
  std::printf("%-10s peak of one core: %.1f GMAC/s float, %.1f GMAC/s int8\n", table.name, peaks.fma, peaks.dot_int8);
  Bench bench(table, peaks);
  for (const Check& check : kChecks) {
    if (check.bench && (!options.name || std::strcmp(options.name, check.name) == 0)) check.bench(bench);
  }
}

int run(const Options& options) {
  size_t failures = 0;
  for (const Isa isa : {Isa::kReference, Isa::kAvx2, Isa::kAvx512}) {
    if (!options.all_tables && isa != options.isa) continue;
    const Kernels* kernels = table(isa);
    if (!kernels) {
      std::printf("%-10s SKIPPED: this %s\n", isa_name(isa), cpu_has(isa) ? "build lacks it" : "CPU cannot run it");
      if (cpu_has(isa)) return 1;
      if (!options.all_tables) return kSkipped;
      continue;
    }
    if (options.bench) {
      bench_table(*kernels, options);
    } else {
      failures += check_table(*kernels, options);
    }
  }
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace nxs::kernels::check

int main(int argc, char** argv) {
  nxs::kernels::check::Options options;
  if (!nxs::kernels::check::parse(argc, argv, &options)) return nxs::kernels::check::usage();
  return nxs::kernels::check::run(options);
}
