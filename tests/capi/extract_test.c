// SPDX-License-Identifier: Apache-2.0 OR MIT
// The extractors by themselves; the grammar's cases are in tests/unit/decode/answer_test.cpp.
#include "support.h"

static void extracts(const char* text, uint32_t extractor, const char* expected) {
  char out[64];
  size_t n = 99;
  good(nxs_extract(NULL, 0, &n, extractor, text, strlen(text), &err));
  assert_int_equal(n, strlen(expected));
  good(nxs_extract(out, sizeof out, &n, extractor, text, strlen(text), &err));
  assert_int_equal(n, strlen(expected));
  assert_memory_equal(out, expected, n);
}

static void extractors(void** state) {
  (void)state;
  extracts("The answer is 1,234.", NXS_EXTRACT_LAST_INTEGER, "1234");
  extracts("It is 3.50", NXS_EXTRACT_LAST_NUMBER, "3.5");
  extracts("\\boxed{-\\frac{1}{2}}", NXS_EXTRACT_BOXED, "-\\frac{1}{2}");
  extracts("5", NXS_EXTRACT_NONE, "");
  extracts("", NXS_EXTRACT_LAST_INTEGER, "");
  char out[8];
  size_t n = 0;
  memset(out, 'x', sizeof out);
  fails(nxs_extract(out, 3, &n, NXS_EXTRACT_LAST_INTEGER, "1234", 4, &err), NXS_ERR_BUFFER, "4");
  assert_int_equal(n, 4);
  assert_int_equal(out[0], 'x');
  fails(nxs_extract(out, 8, &n, 4, "1", 1, &err), NXS_ERR_ARGUMENT, "extractor");
  fails(nxs_extract(out, 8, NULL, 1, "1", 1, &err), NXS_ERR_ARGUMENT, "n is");
  fails(nxs_extract(NULL, 8, &n, 1, "1", 1, &err), NXS_ERR_ARGUMENT, "answer");
  fails(nxs_extract(out, 8, &n, 1, NULL, 1, &err), NXS_ERR_ARGUMENT, "text");
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(extractors)};
  return RUN_TESTS(argc, argv, tests);
}
