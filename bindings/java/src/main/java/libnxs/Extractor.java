// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How a vote finds the answer in a sample's text; NONE leaves that to {@link Vote#setAnswer}. */
public enum Extractor {
  NONE, LAST_INTEGER, LAST_NUMBER, BOXED
}
