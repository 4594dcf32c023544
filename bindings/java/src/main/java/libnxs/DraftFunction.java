// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Drafts by a function of one's own: called on the thread of the run. */
@FunctionalInterface
public interface DraftFunction {
  /** At most capacity tokens that may follow the context (null: none). What it throws ends the run and reaches the run's caller. */
  int[] draft(int[] context, int capacity);
}
