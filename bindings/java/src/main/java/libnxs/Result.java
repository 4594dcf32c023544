// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.util.Arrays;

/** What a run gave: plain data, independent of model and session. Two results with one receipt computed the same thing. */
public final class Result {
  private final int[] tokens;
  private final byte[] flags;
  private final byte[] data;
  private final float[] logprobs;
  private final Stats stats;
  private final String receipt;

  /** Copies a result that is lent. */
  Result(long raw) {
    tokens = Raw.nxs_result_tokens(raw);
    flags = Raw.nxs_result_flags(raw);
    data = Raw.nxs_result_text(raw);
    logprobs = Raw.nxs_result_logprobs(raw);
    stats = Stats.of(Raw.nxs_result_stats(raw));
    receipt = Handle.string(Raw.nxs_result_receipt(raw));
  }

  /** Copies a result that is the caller's, and closes it. */
  static Result taking(long raw) {
    try {
      return new Result(raw);
    } finally {
      Raw.nxs_result_close(raw);
    }
  }

  /** The emitted tokens. */
  public int[] tokens() {
    return tokens.clone();
  }

  /** Whether the i-th token was drafted and accepted. */
  public boolean isDrafted(int i) {
    return (flags[i] & RawConstants.NXS_EVENT_DRAFTED) != 0;
  }

  /** The text. */
  public String text() {
    return Handle.string(data);
  }

  /** The text's bytes. */
  public byte[] data() {
    return data.clone();
  }

  /** Natural logarithms per token; empty unless asked for. */
  public float[] logprobs() {
    return logprobs.clone();
  }

  /** Counts and seconds. */
  public Stats stats() {
    return stats;
  }

  /** Why the run ended. */
  public Stop stop() {
    return stats.stop();
  }

  /** "1:" and 32 hex digits. */
  public String receipt() {
    return receipt;
  }

  /** Same tokens, text and receipt. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Result r && Arrays.equals(tokens, r.tokens) && Arrays.equals(data, r.data) && receipt.equals(r.receipt);
  }

  @Override
  public int hashCode() {
    return receipt.hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
