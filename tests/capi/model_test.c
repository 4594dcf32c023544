// SPDX-License-Identifier: Apache-2.0 OR MIT
// Opening models, what is known of them, and their lifetime.
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

static char* read_all(size_t* size) {
  FILE* f = fopen(model_path, "rb");
  assert_non_null(f);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  *size = (size_t)ftell(f);
  rewind(f);
  char* data = malloc(*size);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *size, f), *size);
  fclose(f);
  return data;
}

static void info_and_strings(void** state) {
  (void)state;
  nxs_model* m = open_model();
  const nxs_model_info* info = nxs_model_get_info(m);
  assert_int_equal(info->struct_size, sizeof *info);
  assert_int_equal(info->n_vocab, 320);
  assert_int_equal(info->n_layers, 2);
  assert_int_equal(info->n_ctx, 2048);
  assert_true(info->weight_bytes > 0 && info->kv_bytes_per_token > 0);
  assert_true(info->step_bytes > 0 && info->step_bytes < info->weight_bytes);
  assert_string_equal(nxs_model_string(m, "general.architecture"), "llama");
  assert_null(nxs_model_string(m, "no.such.key"));
  assert_int_equal(strlen(nxs_model_digest(m)), 32);
  size_t n_notes = 0;
  while (nxs_model_note(m, n_notes) != NULL) ++n_notes;
  assert_null(nxs_model_note(m, n_notes + 1));
  nxs_model_close(m);
}

// A struct that the library lends is followed by zeros up to 512 bytes.
static void lent_struct_is_followed_by_zeros(void** state) {
  (void)state;
  nxs_model* m = open_model();
  const unsigned char* bytes = (const unsigned char*)nxs_model_get_info(m);
  for (size_t i = sizeof(nxs_model_info); i < 512; ++i) assert_int_equal(bytes[i], 0);
  nxs_model_close(m);
}

static void memory_equals_file(void** state) {
  (void)state;
  nxs_model *m = open_model(), *from_memory = NULL;
  size_t size = 0;
  char* data = read_all(&size);
  good(nxs_model_open_memory(&from_memory, data, size, NULL, &err));
  memset(data, 0, size);
  free(data);
  assert_string_equal(nxs_model_digest(m), nxs_model_digest(from_memory));
  nxs_model_close(m);
  nxs_model_close(from_memory);
}

static void truncated_file_is_refused(void** state) {
  (void)state;
  size_t size = 0;
  char* data = read_all(&size);
  for (size_t n = 0; n < size; n += 1 + n / 16) {
    nxs_model* m = (nxs_model*)data;
    assert_int_not_equal(nxs_model_open_memory(&m, data, n, NULL, &err), NXS_OK);
    assert_null(m);
    assert_true(err.message[0] != '\0');
  }
  free(data);
}

static void limits(void** state) {
  (void)state;
  nxs_model* m = (nxs_model*)&state;
  fails(nxs_model_open(&m, "/no/such/file.gguf", NULL, &err), NXS_ERR_IO, "/no/such/file.gguf");
  assert_null(m);
  nxs_model_params p;
  nxs_model_params_init(&p, sizeof p);
  p.max_bytes = 1000;
  fails(nxs_model_open(&m, model_path, &p, &err), NXS_ERR_MEMORY, "1000");
  assert_null(m);
  nxs_model* whole = open_model();
  p.max_bytes = nxs_model_get_info(whole)->weight_bytes;
  nxs_model_close(whole);
  good(nxs_model_open(&m, model_path, &p, &err));
  nxs_model_close(m);
  --p.max_bytes;
  fails(nxs_model_open(&m, model_path, &p, &err), NXS_ERR_MEMORY, "allowed");
  p.max_bytes = -1;
  fails(nxs_model_open(&m, model_path, &p, &err), NXS_ERR_ARGUMENT, "max_bytes");
  p.max_bytes = 0;
  p.n_threads = 100000;
  fails(nxs_model_open(&m, model_path, &p, &err), NXS_ERR_ARGUMENT, "n_threads");
}

// A session keeps its model alive.
static void closed_before_its_session(void** state) {
  (void)state;
  nxs_model* m = open_model();
  nxs_session* s = open_session(m, 1, 0, 0);
  nxs_model_close(m);
  const nxs_decode_params p = with_max_new(5);
  nxs_result* r = run_fresh(s, prompt(1, 10), 10, &p, NULL);
  nxs_session_close(s);
  assert_true(strlen(nxs_result_receipt(r)) == 34);
  nxs_result_close(r);
}

static void version_and_build(void** state) {
  (void)state;
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", NXS_VERSION_MAJOR, NXS_VERSION_MINOR, NXS_VERSION_PATCH);
  assert_string_equal(nxs_version(), expected);
  assert_non_null(strstr(nxs_build_info(), "\"isas\":[\"reference\""));
  assert_string_equal(nxs_status_name(NXS_ERR_KV_FULL), "NXS_ERR_KV_FULL");
  assert_non_null(nxs_status_name(12345));
}

static void selftest(void** state) {
  (void)state;
  char digest[33];
  good(nxs_selftest(digest, 0, &err));
  assert_int_equal(strlen(digest), 32);
  good(nxs_selftest(NULL, 0, &err));
  fails(nxs_selftest(digest, 2, &err), NXS_ERR_ARGUMENT, "level");
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_and_strings),
      cmocka_unit_test(lent_struct_is_followed_by_zeros),
      cmocka_unit_test(memory_equals_file),
      cmocka_unit_test(truncated_file_is_refused),
      cmocka_unit_test(limits),
      cmocka_unit_test(closed_before_its_session),
      cmocka_unit_test(version_and_build),
      cmocka_unit_test(selftest),
  };
  return RUN_TESTS(argc, argv, tests);
}
