// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * Something of the library that is closed by {@link #close()}, at the end of a try-with-resources block, or when nothing refers to it any more. Closing is
 * legal at any time on any thread: a call that is under way keeps what it needs until it returns. A call on a closed handle throws
 * {@link NxsException} with {@link Status#ARGUMENT}.
 */
public abstract class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  /** The pointer, and how many calls use it. It does not refer to the handle, so that the handle can become garbage. */
  private static final class State implements Runnable {
    private final long pointer;
    private final LongConsumer closer;
    private int uses;
    private boolean closed;

    State(long pointer, LongConsumer closer) {
      this.pointer = pointer;
      this.closer = closer;
    }

    synchronized boolean acquire() {
      if (closed) return false;
      ++uses;
      return true;
    }

    void release() {
      synchronized (this) {
        if (--uses > 0 || !closed) return;
      }
      closer.accept(pointer);
    }

    @Override
    public void run() {
      synchronized (this) {
        if (closed) return;
        closed = true;
        if (uses > 0) return;
      }
      closer.accept(pointer);
    }

    synchronized boolean isClosed() {
      return closed;
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;

  Handle(long pointer, LongConsumer closer) {
    state = new State(pointer, closer);
    cleanable = CLEANER.register(this, state);
  }

  /** Runs a call with the pointer, which stays valid until the call returns. */
  final <T> T with(LongFunction<T> call) {
    final long pointer = acquire();
    try {
      return call.apply(pointer);
    } finally {
      release();
    }
  }

  /** The pointer, valid until {@link #release()}. */
  final long acquire() {
    if (!state.acquire()) throw new NxsException(RawConstants.NXS_ERR_ARGUMENT, "this " + getClass().getSimpleName() + " is closed");
    return state.pointer;
  }

  final void release() {
    state.release();
  }

  /** True after {@link #close()}. */
  public final boolean isClosed() {
    return state.isClosed();
  }

  /** Gives back what the handle owns. Closing twice is allowed. */
  @Override
  public void close() {
    cleanable.clean();
  }

  static byte[] utf8(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  /** For C strings, which end at a NUL. */
  static byte[] cString(String text) {
    if (text != null && text.indexOf('\0') >= 0) throw new IllegalArgumentException("embedded null character");
    return utf8(text);
  }

  static String string(byte[] text) {
    return text == null ? null : new String(text, StandardCharsets.UTF_8);
  }
}
