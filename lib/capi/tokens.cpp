// SPDX-License-Identifier: Apache-2.0 OR MIT
// Text to tokens and back, and chat formats: functions of a model alone, so any number of threads may be in them.
#include "capi/guard.h"
#include "capi/handles.h"
#include "text/chat.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

void check_flags(uint32_t flags, uint32_t known) {
  if ((flags & ~known) != 0)
    fail(Status::kUnsupported, "flags: bits 0x%x are not known to libnxs %s", flags & ~known, nxs_version());
}

std::string_view view(const char* text, size_t len, const char* name) {
  const std::span<const char> bytes = array(text, len, name);
  return {len != 0 ? bytes.data() : "", len};
}

}  // namespace

nxs_status nxs_tokenize(int32_t* tokens, size_t capacity, size_t* n, size_t* n_dropped, const nxs_model* model,
                        const char* text, size_t text_len, uint32_t flags, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(n, "n");
    *n = 0;
    if (n_dropped != nullptr) *n_dropped = 0;
    need(model, "model");
    if (capacity != 0) need(tokens, "tokens");
    check_flags(flags, NXS_TEXT_SPECIAL | NXS_TEXT_BOS | NXS_TEXT_DROP);
    const text::EncodeOptions options{(flags & NXS_TEXT_SPECIAL) != 0, (flags & NXS_TEXT_BOS) != 0,
                                      (flags & NXS_TEXT_DROP) != 0};
    std::vector<int32_t> ids;
    const size_t dropped = model->model->tokenizer.encode(ids, view(text, text_len, "text"), options);
    if (n_dropped != nullptr) *n_dropped = dropped;
    copy_out(tokens, capacity, n, ids.data(), ids.size());
  });
}

nxs_status nxs_detokenize(char* text, size_t capacity, size_t* n, const nxs_model* model, const int32_t* tokens,
                          size_t n_tokens, uint32_t flags, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(n, "n");
    *n = 0;
    need(model, "model");
    if (capacity != 0) need(text, "text");
    const std::span<const int32_t> ids = array(tokens, n_tokens, "tokens");
    check_flags(flags, NXS_TEXT_SPECIAL);
    std::string bytes;
    model->model->tokenizer.decode(bytes, ids, (flags & NXS_TEXT_SPECIAL) != 0);
    copy_out(text, capacity, n, bytes.data(), bytes.size());
  });
}

int32_t nxs_token_is_stop(const nxs_model* model, int32_t token) {
  if (model == nullptr) return 0;
  const text::Vocabulary& vocabulary = model->model->tokenizer.vocabulary();
  return token >= 0 && token < vocabulary.size() && vocabulary.is_stop(token) ? 1 : 0;
}

nxs_status nxs_chat_format(int32_t* tokens, size_t capacity, size_t* n, const nxs_model* model,
                           const nxs_message* messages, size_t n_messages, uint32_t flags, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(n, "n");
    *n = 0;
    need(model, "model");
    if (capacity != 0) need(tokens, "tokens");
    check_flags(flags, NXS_CHAT_REPLY | NXS_CHAT_CONTINUE);
    std::vector<text::Message> list;
    for (const nxs_message& message : array(messages, n_messages, "messages")) {
      need(message.role, "messages: a role");
      list.push_back({message.role, view(message.content, message.content_len, "messages: a content")});
    }
    std::vector<int32_t> ids;
    text::format_chat(ids, model->model->tokenizer, list,
                      {(flags & NXS_CHAT_REPLY) != 0, (flags & NXS_CHAT_CONTINUE) != 0});
    copy_out(tokens, capacity, n, ids.data(), ids.size());
  });
}
