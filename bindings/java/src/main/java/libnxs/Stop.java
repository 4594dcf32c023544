// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Why a run ended; RUNNING in the result of a stream that has not. */
public enum Stop {
  RUNNING, TOKEN, TEXT, MAX_NEW, CONTEXT, KV_FULL, CANCELLED
}
