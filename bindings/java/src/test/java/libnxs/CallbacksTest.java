// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import static libnxs.Support.fails;
import static libnxs.Support.max;
import static libnxs.Support.prompt;
import static libnxs.Support.threads;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Callbacks: what they throw reaches the caller, and they cannot enter the session again. */
class CallbacksTest {
  private static final int[] PROMPT = prompt(1, 40);
  private final Model model = Support.tiny();
  private final Session session = model.session(threads(1));
  private final Sequence seq = session.sequence();

  private List<Function<EventListener, Object>> runs() {
    final List<Function<EventListener, Object>> runs = new ArrayList<>();
    runs.add(f -> seq.plainDecode(PROMPT, max(8), f));
    runs.add(f -> seq.specDecode(PROMPT, max(8), null, f));
    for (VoteMode mode : VoteMode.values()) runs.add(f -> seq.vote(mode, PROMPT, max(8).temperature(1), new VoteParams().nSamples(3), f));
    return runs;
  }

  @Test
  void exceptionsComeThrough() {
    final RuntimeException mine = new RuntimeException("from the callback");
    final AssertionError error = new AssertionError("an error");
    for (Function<EventListener, Object> run : runs()) {
      assertSame(mine, assertThrows(RuntimeException.class, () -> run.apply(e -> {
        throw mine;
      })));
      assertSame(error, assertThrows(AssertionError.class, () -> run.apply(e -> {
        if (e.isEnd()) throw error;
        return true;
      })));
      assertThrows(StackOverflowError.class, () -> run.apply(e -> endless(1) > 0));
      assertEquals(0, seq.length());
    }
    assertEquals(4, seq.plainDecode(PROMPT, max(4)).stats().nEmitted());
  }

  private static int endless(int n) {
    return endless(n + 1) + 1;
  }

  @Test
  void eventsAndStopping() {
    final List<Event> events = new ArrayList<>();
    final ByteArrayOutputStream data = new ByteArrayOutputStream();
    final Result result = seq.fork().specDecode(PROMPT, max(16).logprobs(true), null, e -> {
      data.writeBytes(e.data());
      return events.add(e);
    });
    assertArrayEquals(result.tokens(), events.stream().filter(Event::isToken).mapToInt(Event::token).toArray());
    assertArrayEquals(result.data(), data.toByteArray());
    assertTrue(events.get(0).isPrefill() && events.get(events.size() - 1).isEnd());
    assertEquals(result.stats().nAccepted(), events.stream().filter(Event::isDrafted).count());
    assertEquals(16, result.logprobs().length);
    final Result stopped = seq.plainDecode(PROMPT, max(9), e -> !(e.isToken() && e.index() == 2));
    assertEquals(Stop.CANCELLED, stopped.stop());
    assertEquals(3, stopped.tokens().length);
  }

  @Test
  void busyInsideACallback() {
    final Sequence other = session.sequence();
    seq.plainDecode(PROMPT, max(3), e -> {
      fails(Status.BUSY, "", () -> other.plainDecode(PROMPT, max(1)));
      fails(Status.BUSY, "", session::info);
      return seq.length() >= 0;
    });
  }

  @Test
  void closingInsideACallback() {
    for (int what = 0; what < 3; ++what) {
      final Session own = model.session(threads(2));
      final Sequence mine = own.sequence();
      final int which = what;
      mine.plainDecode(PROMPT, max(20), e -> {
        if (which == 0) own.close();
        if (which == 1) mine.close();
        if (which == 2) own.cancel(true);
        return true;
      });
    }
  }

  @Test
  void drafters() {
    final Result expected = seq.fork().plainDecode(PROMPT, max(12));
    for (DraftFunction draft : List.<DraftFunction>of((c, n) -> null, (c, n) -> new int[0], (c, n) -> new int[100], (c, n) -> c)) {
      assertEquals(expected, seq.fork().specDecode(PROMPT, max(12), Drafter.custom(draft, 6), null));
    }
    final IllegalStateException mine = new IllegalStateException("from the drafter");
    final Drafter drafter = Drafter.custom((c, n) -> {
      throw mine;
    }, 6);
    assertSame(mine, assertThrows(IllegalStateException.class, () -> seq.specDecode(PROMPT, max(12), drafter, null)));
    try (TokenStream stream = seq.stream(PROMPT, max(12), drafter)) {
      drafter.close();
      assertSame(mine, assertThrows(IllegalStateException.class, () -> stream.forEachRemaining(e -> {})));
      fails(Status.CALLBACK, "", stream::hasNext);
    }
    fails(Status.CALLBACK, "", () -> seq.specDecode(PROMPT, max(12), Drafter.custom((c, n) -> new int[] {-1}, 6), null));
    fails(Status.ARGUMENT, "", () -> Drafter.custom((c, n) -> null, 1000));
    assertThrows(NullPointerException.class, () -> Drafter.custom(null, 6));
    final Drafter lookup = Drafter.lookup(new LookupParams().draftMax(4).adaptive(false));
    lookup.addText(expected.tokens());
    assertEquals(expected, seq.specDecode(PROMPT, max(12), lookup, null));
  }
}
