// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_drafter_*: drafters belong to no session, so a flag and not the session says who has one.
#include "decode/drafter.h"

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

std::shared_ptr<DrafterState> lookup_state(const nxs_lookup_params* params) {
  auto drafter = std::make_shared<decode::LookupDrafter>(lookup_limits(params));
  auto state = std::make_shared<DrafterState>();
  state->lookup = drafter.get();
  state->drafter = std::move(drafter);
  return state;
}

}  // namespace

DrafterLease::DrafterLease(const nxs_drafter* drafter) : state_(drafter ? drafter->state : lookup_state(nullptr)) {
  if (state_->in_use.exchange(true)) fail(Status::kBusy, "the drafter is in use by another run");
}

DrafterLease::~DrafterLease() {
  state_->in_use.store(false);
}

void nxs_lookup_params_init(nxs_lookup_params* params, uint32_t struct_size) {
  init_params(params, struct_size);
}

nxs_status nxs_drafter_lookup(nxs_drafter** out, const nxs_lookup_params* params, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    *out = nullptr;
    *out = new nxs_drafter{lookup_state(params)};
  });
}

nxs_status nxs_drafter_add_text(nxs_drafter* drafter, const int32_t* tokens, size_t n_tokens, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(drafter, "drafter");
    const std::span<const int32_t> text = array(tokens, n_tokens, "tokens");
    DrafterLease lease(drafter);
    if (lease.state().lookup == nullptr) fail(Status::kArgument, "drafter: only a lookup drafter takes text");
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] < 0) fail(Status::kArgument, "tokens: number %zu is %d", i, text[i]);
    }
    lease.state().lookup->lookup().add_text(text);
  });
}

nxs_status nxs_drafter_custom(nxs_drafter** out, nxs_draft_fn draft, void* user, uint32_t draft_max, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    *out = nullptr;
    if (draft == nullptr) fail(Status::kArgument, "draft is NULL");
    auto state = std::make_shared<DrafterState>();
    state->drafter = std::make_shared<decode::CustomDrafter>(draft, user, checked_draft_max(draft_max));
    *out = new nxs_drafter{std::move(state)};
  });
}

void nxs_drafter_close(nxs_drafter* drafter) {
  delete drafter;
}
