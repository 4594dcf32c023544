// SPDX-License-Identifier: Apache-2.0 OR MIT
// The self-test notices a kernel that is wrong in one bit: each kernel is spoiled in turn, and exactly its trials must
// differ.
#include "selftest/kernel_trial.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "kernels/dispatch.h"
#include "selftest/selftest.h"

namespace nxs::selftest {
namespace {

using kernels::Kernels;

const Kernels& good() {
  return *kernels::portable_table();
}

/// Flips the lowest bit of a number.
void flip(void* number) {
  uint8_t byte = 0;
  std::memcpy(&byte, number, 1);
  byte ^= 1;
  std::memcpy(number, &byte, 1);
}

template <tensor::DType type>
void spoil_matmul(Kernels& k) {
  k.matmul[static_cast<size_t>(type)] = [](float* y, size_t ldy, const tensor::PackedView& w,
                                           const kernels::Activations& x, size_t g0, size_t g1, bool add) {
    good().matmul[static_cast<size_t>(type)](y, ldy, w, x, g0, g1, add);
    flip(y);
  };
}

struct Spoiled {
  const char* kernel;
  void (*spoil)(Kernels& table);
};

const Spoiled kSpoiled[] = {
    {"matmul F32", spoil_matmul<tensor::DType::kF32>},
    {"matmul F16", spoil_matmul<tensor::DType::kF16>},
    {"matmul BF16", spoil_matmul<tensor::DType::kBF16>},
    {"matmul Q8_0", spoil_matmul<tensor::DType::kQ8_0>},
    {"matmul Q4_0", spoil_matmul<tensor::DType::kQ4_0>},
    {"matmul Q4_1", spoil_matmul<tensor::DType::kQ4_1>},
    {"matmul Q5_0", spoil_matmul<tensor::DType::kQ5_0>},
    {"matmul Q5_1", spoil_matmul<tensor::DType::kQ5_1>},
    {"matmul Q4_K", spoil_matmul<tensor::DType::kQ4_K>},
    {"matmul Q5_K", spoil_matmul<tensor::DType::kQ5_K>},
    {"matmul Q6_K", spoil_matmul<tensor::DType::kQ6_K>},
    {"quantize",
     [](Kernels& k) {
       k.quantize = [](int8_t* q, float* d, int32_t* sum, const float* x, size_t n) {
         const bool finite = good().quantize(q, d, sum, x, n);
         flip(d);
         return finite;
       };
     }},
    {"quantize_k",
     [](Kernels& k) {
       k.quantize_k = [](int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
         const bool finite = good().quantize_k(q, d, sum, x, n);
         flip(sum + n / 16 - 1);
         return finite;
       };
     }},
    {"pack_panel",
     [](Kernels& k) {
       k.pack_panel = [](float* panel, const float* x, size_t ldx, size_t rows, size_t n) {
         const uint32_t bad = good().pack_panel(panel, x, ldx, rows, n);
         flip(panel);
         return bad;
       };
     }},
    {"rms_norm",
     [](Kernels& k) {
       k.rms_norm = [](float* y, const float* x, const float* w, size_t n, float eps) {
         good().rms_norm(y, x, w, n, eps);
         flip(y + n - 1);
       };
     }},
    {"rotate",
     [](Kernels& k) {
       k.rotate = [](float* x, const float* c, const float* s, size_t heads, size_t dim, float scale) {
         good().rotate(x, c, s, heads, dim, scale);
         flip(x + heads * dim - 1);
       };
     }},
    {"store_kv",
     [](Kernels& k) {
       k.store_kv = [](void* tile, size_t lane, size_t lanes, void* row, const float* key, const float* value,
                       size_t dim, bool f32, bool zero) {
         const bool finite = good().store_kv(tile, lane, lanes, row, key, value, dim, f32, zero);
         flip(row);
         return finite;
       };
     }},
    {"attend",
     [](Kernels& k) {
       k.attend = [](const kernels::AttentionChunk& chunk, const kernels::AttentionQuery* queries, size_t n) {
         good().attend(chunk, queries, n);
         flip(queries[n - 1].l);
       };
     }},
    {"attend_merge",
     [](Kernels& k) {
       k.attend_merge = [](float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n) {
         good().attend_merge(m, l, o, m2, l2, o2, n);
         flip(l);
       };
     }},
    {"gate",
     [](Kernels& k) {
       k.gate = [](float* g, const float* u, size_t n) {
         good().gate(g, u, n);
         flip(g + n - 1);
       };
     }},
    {"add",
     [](Kernels& k) {
       k.add = [](float* x, const float* y, size_t n) {
         good().add(x, y, n);
         flip(x + n / 2);
       };
     }},
    {"argmax",
     [](Kernels& k) {
       k.argmax = [](size_t* index, float* value, const float* x, size_t n) {
         const bool finite = good().argmax(index, value, x, n);
         flip(index);
         return finite;
       };
     }},
    {"exp",
     [](Kernels& k) {
       k.exp = [](float* y, const float* x, size_t n) {
         good().exp(y, x, n);
         flip(y + n - 1);
       };
     }},
};

std::vector<uint8_t> results(const NamedTrial& trial, const Kernels& table, uint64_t seed) {
  Trial t(table, seed);
  trial.run(t);
  CHECK(t.shape[0] != '\0');
  return t.results;
}

TEST_CASE("selftest/kernel_trial: each trial sees its kernel wrong in one bit") {
  REQUIRE(std::size(kSpoiled) == kernel_trials().size());
  for (const NamedTrial& trial : kernel_trials()) {
    for (const Spoiled& spoiled : kSpoiled) {
      if (std::string(spoiled.kernel) != trial.kernel) continue;
      Kernels table = good();
      spoiled.spoil(table);
      for (uint64_t seed = 1; seed <= 3; ++seed) CHECK(results(trial, table, seed) != results(trial, good(), seed));
    }
  }
}

TEST_CASE("selftest/kernel_trial: the same seed gives the same shape and results, another seed others") {
  for (const NamedTrial& trial : kernel_trials()) {
    CHECK(results(trial, good(), 1) == results(trial, good(), 1));
    CHECK(results(trial, good(), 1) != results(trial, good(), 2));
  }
}

TEST_CASE("selftest/selftest: passes here, with the digest of every machine") {
  CHECK(run_selftest(0).hex() == "6417c39c0d4a32c405f4bd20069b7b9a");  // changes when trials or receipts do
  CHECK_FALSE(run_selftest(0) == run_selftest(1));
}

}  // namespace
}  // namespace nxs::selftest
