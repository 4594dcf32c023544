// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.nio.charset.StandardCharsets;

/** Anything that libnxs refuses or fails at: {@link #status()} says what, the message is the library's. */
public class NxsException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  /** Kept by number, as the library gave it. */
  private final int status;

  /** Called by the generated layer. */
  NxsException(int status, byte[] message) {
    this(status, new String(message, StandardCharsets.UTF_8));
  }

  NxsException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** What went wrong. */
  public Status status() {
    return Status.of(status);
  }
}
