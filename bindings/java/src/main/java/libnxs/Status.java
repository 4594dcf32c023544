// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** What went wrong: NXS_ERR_* of nxs.h. */
public enum Status {
  OK, INTERNAL, ARGUMENT, MEMORY, BUFFER, BUSY, FORKED, CANCELLED, UNSUPPORTED, IO, FORMAT, UNENCODABLE, TEMPLATE, CONTEXT, KV_FULL, CALLBACK,
  NUMERIC, NO_ANSWER, RANGE, SELFTEST;

  /** The status of a number of nxs.h; one that this version does not know is INTERNAL. */
  static Status of(int number) {
    final int index = -number;
    return index >= 0 && index < values().length ? values()[index] : INTERNAL;
  }
}
