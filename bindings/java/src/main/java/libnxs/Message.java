// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** One turn of a conversation; roles are "system", "user", "assistant" or what the model's template knows. */
public record Message(String role, String content) {
  /** A user's turn. */
  public static Message user(String content) {
    return new Message("user", content);
  }

  /** What the model is to be. */
  public static Message system(String content) {
    return new Message("system", content);
  }

  /** A reply of the model. */
  public static Message assistant(String content) {
    return new Message("assistant", content);
  }
}
