// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.LongFunction;

/**
 * A run that is pulled, one event at a time. Stop pulling and close to cancel: what has been pulled stays in the sequence. {@link #hasNext} pulls the
 * event that {@link #next} gives.
 */
public final class TokenStream extends Handle implements Iterator<Event>, Iterable<Event> {
  private Event pulled;

  private TokenStream(long raw, Drafter drafter) {
    super(raw, pointer -> {
      Raw.nxs_stream_close(pointer);
      if (drafter != null) drafter.release();
    });
  }

  /** The stream holds its drafter, whose function the library knows only by address, until it is closed. */
  static TokenStream open(Drafter drafter, LongFunction<Long> open) {
    final long raw = drafter == null ? 0 : drafter.acquire();
    try {
      return new TokenStream(open.apply(raw), drafter);
    } catch (RuntimeException failure) {
      if (drafter != null) drafter.release();
      throw failure;
    }
  }

  @Override
  public boolean hasNext() {
    if (pulled == null) pulled = with(Raw::nxs_stream_next);
    return pulled != null;
  }

  @Override
  public Event next() {
    if (!hasNext()) throw new NoSuchElementException("the run has ended");
    final Event event = pulled;
    pulled = null;
    return event;
  }

  /** This stream: for loops go on where the last one left. */
  @Override
  public Iterator<Event> iterator() {
    return this;
  }

  /** The result so far. */
  public Result result() {
    return Result.taking(with(Raw::nxs_stream_result));
  }
}
