// SPDX-License-Identifier: Apache-2.0 OR MIT
// The table that was asked for is the one that runs, complete, and its own kernels are not the reference's under
// another name.
#include "kernels/dispatch.h"

#include <cstdio>
#include <cstring>

#include "kernel_check.h"

namespace nxs::kernels::check {

void check_dispatch(Run& run) {
  const Kernels& t = run.got;
  const Kernels& reference = *table(Isa::kReference);
  run.round("isa %u", static_cast<unsigned>(t.isa));
  run.expect(std::strcmp(t.name, isa_name(t.isa)) == 0, "is called %s", t.name);
  run.expect(table(t.isa) == &t, "asking for it again gives another table");
  run.expect(table(Isa::kBest) != nullptr, "there is no best table");
  run.expect(table(Isa::kNeon) == nullptr, "a table for NEON exists");
  for (size_t i = 0; i < tensor::kDTypes; ++i) {
    run.expect(t.matmul[i] != nullptr, "matmul %zu is missing", i);
    run.expect(t.isa == Isa::kReference || t.matmul[i] != reference.matmul[i], "matmul %zu is the reference's", i);
  }
  const bool complete = t.rms_norm && t.quantize && t.quantize_k && t.pack_panel && t.rotate && t.store_kv &&
                        t.attend && t.attend_merge && t.attend_finish && t.gate && t.add && t.argmax && t.exp;
  run.expect(complete, "a kernel is missing");
  if (t.isa == Isa::kReference) return;
  run.expect(t.attend != reference.attend, "attend is the reference's");
  run.expect(t.rms_norm != reference.rms_norm, "rms_norm is the reference's");
  run.expect(t.quantize != reference.quantize, "quantize is the reference's");
  run.expect(t.quantize_k != reference.quantize_k, "quantize_k is the reference's");
  run.expect(t.gate != reference.gate, "gate is the reference's");
}

}  // namespace nxs::kernels::check
