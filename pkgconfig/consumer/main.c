/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a program outside this tree sees: nxs.h and what pkg-config says. Compiled as C and as C++ by test.sh. */
#include <nxs.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  nxs_model *model = NULL;
  nxs_error err;
  nxs_status status;

  memset(&err, 0, sizeof err);
  status = nxs_model_open(&model, "/nowhere/at/all.gguf", NULL, &err);
  if (status == NXS_OK || model != NULL || err.message[0] == '\0') {
    fprintf(stderr, "a missing file was opened\n");
    return 1;
  }
  printf("%s\n", nxs_version());
  return 0;
}
