// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.util.Objects;
import java.util.function.LongFunction;

/** What proposes tokens: changes the speed, never the output. One run (stream: until its close) at a time. */
public final class Drafter extends Handle {
  private Drafter(long raw, long function) {
    super(raw, pointer -> {
      Raw.nxs_drafter_close(pointer);
      if (function != 0) Raw.nxs_draft_free(function);
    });
  }

  /** Prompt lookup: the continuation of the latest earlier place where the sequence's last tokens stand. */
  public static Drafter lookup(LookupParams params) {
    final RawLookupParams raw = params.raw();
    try {
      return new Drafter(Raw.nxs_drafter_lookup(raw), 0);
    } finally {
      raw.delete();
    }
  }

  /** Drafts by a function of one's own, of at most draftMax tokens. */
  public static Drafter custom(DraftFunction draft, int draftMax) {
    final long function = Raw.nxs_draft_new(Objects.requireNonNull(draft));
    try {
      return new Drafter(Raw.nxs_drafter_custom(function, draftMax), function);
    } catch (NxsException failure) {
      Raw.nxs_draft_free(function);
      throw failure;
    }
  }

  /** More text for a lookup drafter to look in, after the sequence itself. */
  public void addText(int... tokens) {
    with(p -> {
      Raw.nxs_drafter_add_text(p, tokens);
      return null;
    });
  }

  /** A call with a drafter's pointer, or with 0 for none. */
  static <T> T with(Drafter drafter, LongFunction<T> call) {
    return drafter == null ? call.apply(0) : drafter.with(call);
  }
}
