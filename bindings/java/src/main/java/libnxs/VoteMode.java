// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How a vote's samples are computed. All three give the same bytes; BATCHED is the fastest. */
public enum VoteMode {
  RESET, PAGED, BATCHED
}
