// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import static libnxs.Support.fails;
import static libnxs.Support.max;
import static libnxs.Support.prompt;
import static libnxs.Support.threads;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Handles: closed ones throw, any order is right, thousands of cycles leave nothing; threads. */
class LifetimeTest {
  private static final int[] PROMPT = prompt(2, 30);

  @Test
  void closedHandles() {
    final Model model = Support.tiny();
    final Session session = model.session(threads(1));
    final Sequence seq = session.sequence();
    final TokenStream stream = session.sequence().stream(PROMPT, max(4));
    final Vote vote = seq.vote(PROMPT, new VoteParams().nSamples(1));
    final Drafter drafter = Drafter.lookup(new LookupParams());
    model.close();
    seq.plainDecode(PROMPT, max(2)); // the session keeps what it needs of the model
    session.close();
    vote.close();
    drafter.close();
    final List<Executable> calls = List.of(model::info, () -> model.tokenize("x"), model::session, session::info, session::sequence,
        () -> session.cancel(true), seq::length, seq::fork, () -> seq.plainDecode(PROMPT, max(1)), () -> seq.stream(PROMPT, max(1)), stream::hasNext,
        stream::result, vote::winner, () -> vote.sample(0), () -> vote.setAnswer(0, "x"), () -> drafter.addText(1), () -> seq.forward(1));
    for (Executable call : calls) fails(Status.ARGUMENT, "closed", call);
    for (Handle handle : List.of(model, session, seq, stream, vote, drafter)) {
      assertTrue(handle.isClosed());
      handle.close();
    }
  }

  private static long resident() throws IOException {
    System.gc();
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  private static void cycle(int how) {
    final Model model = Support.tiny();
    final Session session = model.session(threads(2).kvTokens(256));
    final Sequence seq = session.sequence();
    final Drafter drafter = Drafter.custom((c, n) -> new int[] {1}, 4);
    seq.specDecode(PROMPT, max(4), drafter, e -> true);
    final Vote vote = seq.fork().vote(VoteMode.BATCHED, PROMPT, max(2), new VoteParams().nSamples(2), null);
    final TokenStream stream = session.sequence().stream(PROMPT, max(4), drafter);
    stream.next();
    assertThrows(ArithmeticException.class, () -> seq.plainDecode(PROMPT, max(4), e -> 1 / 0 > 0));
    final Handle[] order = {model, session, seq, drafter, vote, stream};
    for (int i = 0; i < order.length; ++i) order[how % 2 == 0 ? i : order.length - 1 - i].close();
  }

  @Test
  void aThousandCyclesLeaveNothing() throws IOException {
    for (int i = 0; i < 1500; ++i) cycle(i);
    final long before = resident();
    for (int i = 0; i < 1000; ++i) cycle(i);
    final long grown = resident() - before;
    // A model alone is 80 KB: a leak of each cycle's would be 80 MB.
    assertTrue(grown < 24 << 20, grown + " bytes more");
  }

  /** What is forgotten is closed with the garbage. */
  @Test
  void forgottenHandles() throws Exception {
    try (Model model = Support.tiny(); Session session = model.session(threads(1).kvTokens(4096))) {
      for (int i = 0; i < 40; ++i) session.sequence().plainDecode(PROMPT, max(2));
      for (int i = 0; i < 100 && session.info().kvTokensFree() < 4096; ++i) {
        System.gc();
        Thread.sleep(20);
      }
      assertEquals(4096, session.info().kvTokensFree());
    }
  }

  @Test
  void streams() {
    try (Model model = Support.tiny(); Session session = model.session(threads(1))) {
      final Sequence seq = session.sequence();
      final Result expected = seq.fork().plainDecode(PROMPT, max(10));
      final TokenStream stream = seq.stream(PROMPT, max(10));
      int pulled = 0;
      for (Event event : stream) {
        if (event.isToken() && ++pulled == 4) break;
      }
      fails(Status.BUSY, "", () -> seq.plainDecode(PROMPT, max(1)));
      assertEquals(expected, session.sequence().plainDecode(PROMPT, max(10)));
      assertEquals(Stop.RUNNING, stream.result().stop());
      stream.close();
      assertArrayEquals(Arrays.copyOf(expected.tokens(), 4), Arrays.copyOfRange(seq.tokens(), PROMPT.length, PROMPT.length + 4));
      seq.truncate(0);
      try (TokenStream cancelled = seq.stream(PROMPT, max(10))) {
        cancelled.next();
        session.cancel(true);
        while (cancelled.hasNext()) cancelled.next();
        assertEquals(Stop.CANCELLED, cancelled.result().stop());
        assertFalse(cancelled.hasNext());
        assertThrows(NoSuchElementException.class, cancelled::next);
      }
    }
  }

  private static void inThreads(int n, Callable<Void> work) throws Exception {
    final ExecutorService pool = Executors.newFixedThreadPool(n);
    for (Future<Void> future : pool.invokeAll(IntStream.range(0, n).mapToObj(i -> work).toList())) future.get();
    pool.shutdown();
  }

  private static void eightSessions(Model model, int rounds) throws Exception {
    final int[] tokens = model.chat("Count to five.");
    final Result expected = model.session(threads(1)).sequence().plainDecode(tokens, max(24));
    inThreads(8, () -> {
      for (int i = 0; i < rounds; ++i) {
        try (Session session = model.session(threads(1 + i % 2))) {
          assertEquals(expected, session.sequence().specDecode(tokens, max(24), null, e -> true));
        }
      }
      return null;
    });
  }

  @Test
  void eightSessionsOnOneModel() throws Exception {
    try (Model model = Support.tiny()) {
      eightSessions(model, 6);
    }
  }

  @Test
  void eightSessionsOnTheRealModel() throws Exception {
    try (Model model = Support.real()) {
      eightSessions(model, 1);
    }
  }

  @Test
  void closingUnderACall() throws Exception {
    try (Model model = Support.tiny()) {
      for (int i = 0; i < 30; ++i) {
        final Session session = model.session(threads(2));
        final Sequence seq = session.sequence();
        final CountDownLatch started = new CountDownLatch(1);
        final Thread thread = new Thread(() -> {
          started.countDown();
          fails(Status.ARGUMENT, "closed", () -> {
            while (true) {
              seq.specDecode(PROMPT, max(200));
              seq.truncate(0);
            }
          });
        });
        thread.start();
        started.await();
        session.cancel(true);
        session.close();
        thread.join();
      }
    }
  }
}
