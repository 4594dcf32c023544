// SPDX-License-Identifier: Apache-2.0 OR MIT
// What stands behind the opaque types of nxs.h.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "capi/core.h"
#include "decode/run.h"
#include "decode/unbegun.h"
#include "decode/vote.h"
#include "nxs.h"

namespace nxs::capi {

/// A struct that is lent to callers: zero bytes up to 512 follow it, so that a caller built against a later header
/// reads zeros.
template <typename T>
class Lent {
 public:
  Lent() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBytes);
    std::memset(bytes_, 0, kBytes);
    get().struct_size = sizeof(T);
  }
  T& get() { return *reinterpret_cast<T*>(bytes_); }
  const T& get() const { return *reinterpret_cast<const T*>(bytes_); }

 private:
  static constexpr size_t kBytes = 512;
  alignas(T) unsigned char bytes_[kBytes];
};

/// A sequence, held by its handle and by a stream on it.
struct SequenceState final : decode::TokenSequence {
  using TokenSequence::TokenSequence;
  bool streaming = false;  ///< looked at inside the session only
};

/// A drafter, held by its handle and by runs. One run at a time.
struct DrafterState {
  std::shared_ptr<decode::Drafter> drafter;
  decode::LookupDrafter* lookup = nullptr;  ///< the same, if it looks up
  std::atomic<bool> in_use{false};
};

/// Takes a drafter for a run or a change; kBusy when another has it. The default one is made on the spot.
class DrafterLease {
 public:
  explicit DrafterLease(const nxs_drafter* drafter);
  ~DrafterLease();
  DrafterLease(const DrafterLease&) = delete;
  DrafterLease& operator=(const DrafterLease&) = delete;
  DrafterState& state() { return *state_; }

 private:
  std::shared_ptr<DrafterState> state_;
};

/// A pulled run. `core` outlives the run, the run the lease.
struct StreamState {
  StreamState(std::shared_ptr<Core> owner, std::shared_ptr<SequenceState> on, std::span<const int32_t> prompt,
              const decode::Params& params, const nxs_drafter* drafter);
  ~StreamState();

  std::shared_ptr<Core> core;
  std::shared_ptr<SequenceState> sequence;
  DrafterLease lease;
  decode::Run run;
  Lent<nxs_event> event;
};

/// Fills `out` (a lent struct) with what a callback or iterator is told.
void fill_event(nxs_event& out, const decode::Event& event, int32_t sample);
void fill_stats(nxs_stats& out, const decode::RunStats& stats);
nxs_result* make_result(decode::Record record);

}  // namespace nxs::capi

struct nxs_model {
  std::shared_ptr<const nxs::model::Model> model;
  nxs::capi::Lent<nxs_model_info> info;
  std::string digest;
};

struct nxs_session final : nxs::capi::SessionPart {
  using SessionPart::SessionPart;
};

struct nxs_seq final : nxs::capi::SessionPart {
  nxs_seq(std::shared_ptr<nxs::capi::Core> owner, std::shared_ptr<nxs::capi::SequenceState> sequence)
      : SessionPart(std::move(owner)), state(std::move(sequence)) {}
  std::shared_ptr<nxs::capi::SequenceState> state;
};

struct nxs_drafter {
  std::shared_ptr<nxs::capi::DrafterState> state;
};

struct nxs_stream final : nxs::capi::SessionPart {
  nxs_stream(std::shared_ptr<nxs::capi::Core> owner, std::shared_ptr<nxs::capi::StreamState> stream)
      : SessionPart(std::move(owner)), state(std::move(stream)) {}
  std::shared_ptr<nxs::capi::StreamState> state;
};

struct nxs_result {
  nxs::decode::Record record;
  nxs::capi::Lent<nxs_stats> stats;
};

/// Answers may be set again, and a cancelled vote may have a million samples that never began. So what few ask for is
/// made when it is asked for, under the lock (any number of readers may ask), and kept.
struct nxs_vote {
  int32_t n_skipped = 0;
  nxs::capi::Lent<nxs_stats> stats;
  mutable std::mutex mutex;
  mutable nxs::decode::Tally tally;                          ///< its ranks are made late
  mutable std::vector<std::unique_ptr<nxs_result>> samples;  ///< NULL: see unbegun
  mutable std::unique_ptr<nxs::decode::Unbegun> unbegun;
  mutable nxs::decode::VoteReceipt hasher;
  mutable nxs::decode::ReceiptText receipt{};  ///< empty: to be made
};

namespace nxs::capi {

/// The sequence behind a handle, inside its session: kBusy while a stream is open on it.
inline std::shared_ptr<SequenceState> usable(const nxs_seq* seq) {
  if (seq->state->streaming) fail(Status::kBusy, "the sequence is in use by an open stream");
  return seq->state;
}

/// (data, capacity, *n) of the conventions: *n is the size needed, NULL with capacity 0 only asks for it.
template <typename T>
void copy_out(T* data, size_t capacity, size_t* n, const T* from, size_t size) {
  *n = size;
  if (data == nullptr && capacity == 0) return;
  if (size > capacity) fail(Status::kBuffer, "the capacity is %zu, %zu are needed", capacity, size);
  if (size != 0) std::memcpy(data, from, size * sizeof(T));
}

}  // namespace nxs::capi
