// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/** Models for the tests: a tiny one (NXS_TINY_MODEL, which test.sh writes) and, when NXS_TEST_MODEL names it, a real one. */
final class Support {
  static final Path TINY = Path.of(System.getenv("NXS_TINY_MODEL"));

  private Support() {}

  static Model tiny() {
    return Model.open(TINY);
  }

  static Model real() {
    final String path = System.getenv("NXS_TEST_MODEL");
    final boolean found = path != null && Files.isRegularFile(Path.of(path));
    if ("true".equals(System.getenv("CI"))) assertTrue(found, "NXS_TEST_MODEL names no model, and CI=true");
    Assumptions.assumeTrue(found, "SKIPPED: NXS_TEST_MODEL names no model");
    return Model.open(Path.of(path));
  }

  /** n token ids that repeat themselves here and there, so that drafts are accepted and rejected both. */
  static int[] prompt(int number, int n) {
    final Random random = new Random(number);
    final int[] tokens = random.ints(n, 0, 250).toArray();
    for (int i = 0; i < n / 16; ++i) {
      final int size = 2 + random.nextInt(10);
      System.arraycopy(tokens, random.nextInt(n - size), tokens, random.nextInt(n - size), size);
    }
    return tokens;
  }

  static SessionParams threads(int n) {
    return new SessionParams().nThreads(n);
  }

  static DecodeParams max(long n) {
    return new DecodeParams().maxNew(n);
  }

  static void fails(Status status, String word, Executable call) {
    final NxsException failure = assertThrows(NxsException.class, call);
    assertEquals(status, failure.status(), failure.getMessage());
    assertTrue(failure.getMessage().contains(word), failure.getMessage());
  }
}
