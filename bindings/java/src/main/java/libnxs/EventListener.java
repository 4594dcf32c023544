// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Listens to a run, on the thread that made the call. It must not call the session. */
@FunctionalInterface
public interface EventListener {
  /** True goes on, false stops the run and keeps what there is. What it throws ends the run and reaches the run's caller. */
  boolean onEvent(Event event);
}
