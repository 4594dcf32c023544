// SPDX-License-Identifier: Apache-2.0 OR MIT
// Logits of nxs for given tokens, through nxs.h alone: nxs_logits MODEL f16|f32 TOKENS OUT (formats as in
// peer_logits.cpp).
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/owners.h"

using namespace nxs::test;

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::ifstream in(argv[3]);
  const std::vector<int32_t> tokens{std::istream_iterator<int32_t>(in), {}};
  nxs_error error;
  nxs_model* model = nullptr;
  must(nxs_model_open(&model, argv[1], nullptr, &error), error, argv[1]);
  const Model model_owner(model);
  nxs_session_params params;
  nxs_session_params_init(&params, sizeof params);
  params.kv_type = std::string(argv[2]) == "f32" ? NXS_KV_F32 : NXS_KV_F16;
  nxs_session* session = nullptr;
  must(nxs_session_open(&session, model, &params, &error), error, "nxs_session_open");
  const Session session_owner(session);
  nxs_seq* seq = nullptr;
  must(nxs_seq_new(&seq, session, &error), error, "nxs_seq_new");
  const Seq seq_owner(seq);
  const auto n_tokens = static_cast<int32_t>(tokens.size());
  const std::vector<uint8_t> want(tokens.size(), 1);
  std::vector<float> logits(tokens.size() * nxs_model_get_info(model)->n_vocab);
  must(nxs_forward(logits.data(), logits.size(), &seq, &n_tokens, 1, tokens.data(), want.data(), &error), error,
       "nxs_forward");
  std::ofstream out(argv[4], std::ios::binary);
  out.write(reinterpret_cast<const char*>(logits.data()), static_cast<std::streamsize>(logits.size() * sizeof(float)));
  return out.good() ? 0 : 1;
}
