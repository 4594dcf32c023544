// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** What needs no model. */
public final class Nxs {
  private Nxs() {}

  /** The library's version. */
  public static String version() {
    return Handle.string(Raw.nxs_version());
  }

  /** One JSON object: compiler, instruction sets built, libraries. */
  public static String buildInfo() {
    return Handle.string(Raw.nxs_build_info());
  }

  /** Proves the promise on this CPU; level 0 takes below a second, 1 below a minute. The digest is the same on every machine. */
  public static String selftest(int level) {
    return Handle.string(Raw.nxs_selftest(level));
  }

  /** A kvTokens for {@link SessionParams} that is surely enough for a prompt and nSamples forks of it, each at most maxNew long. */
  public static long kvTokens(long nPrompt, long maxNew, long nSamples, int pageTokens) {
    return Raw.nxs_kv_tokens(nPrompt, maxNew, nSamples, pageTokens);
  }

  /** The answer in a text as a vote finds it; null if there is none. */
  public static String extract(Extractor extractor, String text) {
    final byte[] answer = Raw.nxs_extract(extractor.ordinal(), Handle.utf8(text));
    return answer.length == 0 ? null : Handle.string(answer);
  }
}
