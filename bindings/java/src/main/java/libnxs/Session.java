// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Threads, page pool and scratch memory over one model. One call at a time: a second one, on another thread or from a callback, throws
 * {@link Status#BUSY}. Closing it closes its sequences and streams.
 */
public final class Session extends Handle {
  private final Model model;
  private final Set<Handle> children = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  Session(Model model, SessionParams params) {
    super(opened(model, params), Raw::nxs_session_close);
    this.model = model;
  }

  private static long opened(Model model, SessionParams params) {
    final RawSessionParams raw = params.raw();
    try {
      return model.with(p -> Raw.nxs_session_open(p, raw));
    } finally {
      raw.delete();
    }
  }

  /** The child closes when this does. */
  void adopt(Handle child) {
    children.add(child);
    if (isClosed()) child.close();
  }

  @Override
  public void close() {
    super.close();
    final List<Handle> known;
    synchronized (children) {
      known = new ArrayList<>(children);
    }
    known.forEach(Handle::close);
  }

  /** The model it was opened on. */
  public Model model() {
    return model;
  }

  /** Threads, instruction set, pool and memory now. */
  public SessionInfo info() {
    final RawSessionInfo raw = new RawSessionInfo();
    try {
      return with(p -> {
        Raw.nxs_session_get_info(raw, p);
        return SessionInfo.of(raw);
      });
    } finally {
      raw.delete();
    }
  }

  /** Raises or lowers the cancel flag, from any thread. While it is up, runs stop with {@link Stop#CANCELLED}; nothing else lowers it. */
  public void cancel(boolean on) {
    with(p -> {
      Raw.nxs_session_cancel(p, on ? 1 : 0);
      return null;
    });
  }

  /** A new, empty sequence. */
  public Sequence sequence() {
    return new Sequence(this, with(Raw::nxs_seq_new));
  }

  /** Memory for rows of logits that the library can write into. */
  public FloatBuffer rows(int n) {
    return ByteBuffer.allocateDirect(Math.multiplyExact(Math.multiplyExact(n, model.nVocab()), Float.BYTES)).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /**
   * One forward: appends counts[i] tokens (null: one each) to seqs[i], tokens one sequence after the other. want says after which tokens logits are wanted
   * (null: after the last of each sequence). They are written in place, from element 0 of a direct buffer in native order ({@link #rows}).
   */
  public void forward(FloatBuffer logits, List<Sequence> seqs, int[] counts, int[] tokens, boolean[] want) {
    if (!logits.isDirect() || logits.isReadOnly() || logits.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("logits must be a direct, writable buffer in native order");
    }
    final long[] raws = new long[seqs.size()];
    int held = 0;
    try {
      for (; held < raws.length; ++held) raws[held] = seqs.get(held).acquire();
      with(p -> {
        Raw.nxs_forward_sized(logits, raws, counts, tokens, want);
        return null;
      });
    } finally {
      while (held > 0) seqs.get(--held).release();
    }
  }
}
