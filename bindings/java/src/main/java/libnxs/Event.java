// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/**
 * What a stream or a listener is told: once per prefill chunk, once per token, once at the end of each run.
 *
 * @param sample of a vote, from 0
 * @param index of the token in its run; prefill: prompt tokens in the cache; end: tokens emitted
 * @param token -1 in prefill and end
 * @param flags NXS_EVENT_*
 * @param data UTF-8 characters that this token completed
 * @param piece the token's own bytes
 */
public record Event(int sample, long index, int token, int flags, byte[] data, byte[] piece) {
  /** The characters that this token completed, ready to print. */
  public String text() {
    return Handle.string(data);
  }

  /** An emitted token, no prefill chunk and no end. */
  public boolean isToken() {
    return token >= 0;
  }

  /** The token was drafted and accepted. */
  public boolean isDrafted() {
    return (flags & RawConstants.NXS_EVENT_DRAFTED) != 0;
  }

  /** A chunk of the prompt is in the cache. */
  public boolean isPrefill() {
    return (flags & RawConstants.NXS_EVENT_PREFILL) != 0;
  }

  /** The run has ended. */
  public boolean isEnd() {
    return (flags & RawConstants.NXS_EVENT_END) != 0;
  }
}
