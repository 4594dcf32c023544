// SPDX-License-Identifier: Apache-2.0 OR MIT
// A program of its own that recomputes receipts as docs/receipt.md says, from nxs_forward, nxs_sample and libxxhash,
// and compares them with those that runs have.
#include <stdlib.h>
#include <xxhash.h>

#include "support.h"

enum { VOCAB = 320, SEGMENT = 4096, CHOSEN_MAX = 400 };
static nxs_model* m;

// ---- The recipe ----

static XXH3_state_t* h;

static void put(const void* data, size_t n) {
  XXH3_128bits_update(h, data, n);
}

static void put_number(uint64_t v, size_t bytes) {
  unsigned char b[8];
  for (size_t i = 0; i < bytes; ++i) b[i] = (unsigned char)(v >> (8 * i));
  put(b, bytes);
}

static void bytes_of(XXH128_hash_t hash, unsigned char out[16]) {
  for (int i = 0; i < 8; ++i) {
    out[i] = (unsigned char)(hash.low64 >> (8 * i));
    out[8 + i] = (unsigned char)(hash.high64 >> (8 * i));
  }
}

static void digest_of_row(const float* row, size_t n, unsigned char out[16]) {
  unsigned char segments[64 * 16];
  size_t n_segments = 0;
  for (size_t i = 0; i < n; i += SEGMENT) {
    bytes_of(XXH3_128bits(row + i, 4 * (n - i < SEGMENT ? n - i : SEGMENT)), segments + 16 * n_segments++);
  }
  bytes_of(XXH3_128bits(segments, 16 * n_segments), out);
}

typedef struct run {
  uint32_t kv_type, flags;
  int64_t max_new;
  nxs_decode_params sampling;
  const int32_t* before;
  size_t n_before, n_stops, n_chosen, n_emitted;
  const char* stops[4];  // ascending
  int32_t chosen[CHOSEN_MAX];
  unsigned char rows[CHOSEN_MAX][16];
} run;

static uint64_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void put_field(uint32_t tag, uint64_t value) {
  put_number(tag, 4);
  put_number(value, 8);
}

static void put_sampling(const nxs_decode_params* p) {
  put_number(bits_of(p->temperature), 4);
  if (p->temperature != 0) {
    if (p->seed != 0) put_field(1, (uint64_t)p->seed);
    if (p->top_p != 1) put_field(2, bits_of(p->top_p));
    if (p->min_p != 0) put_field(3, bits_of(p->min_p));
    if (p->top_k != 0 && p->top_k < VOCAB) put_field(4, (uint64_t)p->top_k);
  }
  if (p->repeat_penalty != 1 && p->repeat_last != 0) {
    put_field(5, bits_of(p->repeat_penalty));
    if (p->repeat_last != 64) put_field(6, (uint64_t)p->repeat_last);
  }
  put_number(0, 4);
}

static void receipt_of(const run* r, char text[35]) {
  h = XXH3_createState();
  XXH3_128bits_reset(h);
  const char* hex = nxs_model_digest(m);
  for (int i = 0; i < 16; ++i) {
    const char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
    put_number(strtoul(two, NULL, 16), 1);
  }
  put_number(r->kv_type, 4);
  put_number(r->n_before, 8);
  for (size_t i = 0; i < r->n_before; ++i) put_number((uint32_t)r->before[i], 4);
  put_number(r->flags, 4);
  put_number((uint64_t)r->max_new, 8);
  put_sampling(&r->sampling);
  put_number(r->n_stops, 8);
  for (size_t i = 0; i < r->n_stops; ++i) {
    put_number(strlen(r->stops[i]), 8);
    put(r->stops[i], strlen(r->stops[i]));
  }
  for (size_t i = 0; i < r->n_chosen; ++i) {
    put_number((uint32_t)r->chosen[i], 4);
    put(r->rows[i], 16);
  }
  put_number(r->n_chosen, 8);
  put_number(r->n_emitted, 8);
  unsigned char digest[16];
  bytes_of(XXH3_128bits_digest(h), digest);
  XXH3_freeState(h);
  strcpy(text, "1:");
  for (int i = 0; i < 16; ++i) {
    text[2 + 2 * i] = "0123456789abcdef"[digest[i] >> 4];
    text[3 + 2 * i] = "0123456789abcdef"[digest[i] & 15];
  }
  text[34] = '\0';
}

// ---- The run again, by nxs_forward ----

// Whether the bytes of the chosen tokens hold a stop string.
static int has_stop(const run* r) {
  static char text[8 * CHOSEN_MAX];
  size_t len = 0;
  good(nxs_detokenize(text, sizeof text, &len, m, r->chosen, r->n_chosen, 0, &err));
  for (size_t s = 0; s < r->n_stops; ++s) {
    const size_t n = strlen(r->stops[s]);
    for (size_t i = 0; i + n <= len; ++i) {
      if (memcmp(text + i, r->stops[s], n) == 0) return 1;
    }
  }
  return 0;
}

// Chooses until all emitted tokens are there, and then as far as the reason to stop needs.
static void choose_again(run* r, uint32_t stop) {
  float row[VOCAB];
  int32_t all[64 + CHOSEN_MAX];
  memcpy(all, r->before, r->n_before * sizeof *all);
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  p.n_threads = 1;
  p.kv_type = r->kv_type;
  p.isa = NXS_ISA_REFERENCE;
  nxs_session* s = NULL;
  good(nxs_session_open(&s, m, &p, &err));
  nxs_seq* q = new_seq(s);
  const int32_t count = (int32_t)r->n_before;
  good(nxs_forward(row, VOCAB, &q, &count, 1, r->before, NULL, &err));
  r->n_chosen = 0;
  for (;;) {
    const int complete = stop == NXS_STOP_TOKEN  ? r->n_chosen == r->n_emitted + 1
                         : stop == NXS_STOP_TEXT ? has_stop(r)
                                                 : r->n_chosen == r->n_emitted;
    if (complete) break;
    assert_true(r->n_chosen < CHOSEN_MAX);
    memcpy(all + r->n_before, r->chosen, r->n_chosen * sizeof *all);
    const size_t length = r->n_before + r->n_chosen;
    good(nxs_sample(&r->chosen[r->n_chosen], m, row, (int64_t)length, all, length, &r->sampling, &err));
    digest_of_row(row, VOCAB, r->rows[r->n_chosen]);
    good(nxs_forward(row, VOCAB, &q, NULL, 1, &r->chosen[r->n_chosen++], NULL, &err));
  }
  nxs_seq_close(q);
  nxs_session_close(s);
}

// `sampling`: a number of params_of.
static nxs_decode_params params_of(int sampling, uint32_t flags, int64_t max_new) {
  nxs_decode_params p = with_max_new(max_new);
  p.flags = flags;
  if (sampling == 1) p.temperature = 0.7f, p.top_k = 40, p.seed = -5;
  if (sampling == 2) p.temperature = 1.5f, p.top_p = 0.9f, p.min_p = 0.01f, p.repeat_penalty = 1.1f;
  if (sampling == 3) p.temperature = 1, p.top_k = 400, p.repeat_penalty = 1.2f, p.repeat_last = 0, p.seed = 7;
  if (sampling == 4) p.seed = 9, p.top_k = 3, p.repeat_penalty = 1.3f, p.repeat_last = 33;
  return p;
}

static uint32_t check(uint32_t number, uint32_t kv_type, uint32_t flags, int64_t max_new, size_t n_stops,
                      const char* const* stops, int sampling) {
  static run r;
  int32_t before[64];
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  p.kv_type = kv_type;
  p.n_threads = 2;
  nxs_session* s = NULL;
  good(nxs_session_open(&s, m, &p, &err));
  nxs_seq* q = new_seq(s);
  for (size_t i = n_stops; i-- > 0;) good(nxs_seq_add_stop(q, stops[i], strlen(stops[i]), &err));
  const nxs_decode_params dp = params_of(sampling, flags, max_new);
  memcpy(before, prompt(number, 30 + number), (30 + number) * sizeof *before);
  nxs_result* result = NULL;
  // In two parts, so that a prefix is there: it is in the receipt too.
  float row[VOCAB];
  const int32_t first = 11;
  good(nxs_forward(row, VOCAB, &q, &first, 1, before, NULL, &err));
  good(nxs_spec_decode(&result, q, before + 11, 19 + number, &dp, NULL, NULL, NULL, &err));
  memset(&r, 0, sizeof r);
  r.kv_type = kv_type;
  r.flags = flags;
  r.max_new = max_new;
  r.sampling = dp;
  r.before = before;
  r.n_before = 30 + number;
  r.n_stops = n_stops;
  for (size_t i = 0; i < n_stops; ++i) r.stops[i] = stops[i];
  const int32_t* tokens = nxs_result_tokens(result, &r.n_emitted);
  const uint32_t stop = nxs_result_stats(result)->stop;
  choose_again(&r, stop);
  if (r.n_emitted != 0) assert_memory_equal(tokens, r.chosen, r.n_emitted * sizeof *tokens);
  char text[35];
  receipt_of(&r, text);
  assert_string_equal(text, nxs_result_receipt(result));
  nxs_result_close(result);
  nxs_seq_close(q);
  nxs_session_close(s);
  return stop;
}

static void receipts(void** state) {
  (void)state;
  m = open_model();
  int seen[8] = {0};
  for (uint32_t number = 0; number < 16; ++number) {
    ++seen[check(number, number % 2, 0, 250, 0, NULL, 0)];
    ++seen[check(number, number % 2, NXS_DECODE_IGNORE_STOP, 20 + number, 0, NULL, 0)];
    for (int sampling = 1; sampling < 5; ++sampling) ++seen[check(number, number % 2, 0, 40, 0, NULL, sampling)];
  }
  // Every two-letter string as a stop is too many: letters that the model writes often enough.
  for (char c = 'a'; c <= 'z'; ++c) {
    const char one[2] = {c, 0}, two[3] = {c, c, 0};
    const char* const stops[2] = {one, two};
    ++seen[check((uint32_t)(c - 'a'), NXS_KV_F16, 0, 120, 2, stops, c % 5)];
  }
  ++seen[check(3, NXS_KV_F16, 0, 0, 0, NULL, 0)];
  assert_true(seen[NXS_STOP_TOKEN] > 0);
  assert_true(seen[NXS_STOP_TEXT] > 0);
  assert_true(seen[NXS_STOP_MAX_NEW] > 0);
  nxs_model_close(m);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(receipts)};
  return RUN_TESTS(argc, argv, tests);
}
