// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import static libnxs.Support.max;
import static libnxs.Support.prompt;
import static libnxs.Support.threads;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The promise, seen from Java: plain = speculative = streamed, reset = paged = batched, by tokens and receipts. */
class EquivalenceTest {
  private static final List<SessionParams> SESSIONS = List.of(threads(1), threads(2).pageTokens(16).prefillChunk(7),
      threads(3).isa(Isa.REFERENCE).pageTokens(1).prefillChunk(63));

  private static DecodeParams sampled(long maxNew) {
    return max(maxNew).temperature(0.9f).topK(50).seed(7);
  }

  private static List<int[]> prompts(Model model) {
    if (model.nVocab() < 1000) return IntStream.of(12, 33, 64, 505, 1020).mapToObj(n -> prompt(n, n)).toList();
    return List.of(model.chat("Write the numbers from one to ten, then write them again."), model.chat("What is the capital of France?"));
  }

  /** A drafter that knows what will come, or always errs. */
  private static Drafter oracle(Model model, int[] tokens, boolean right) {
    return Drafter.custom((context, capacity) -> {
      final int from = Math.min(context.length, tokens.length), to = Math.min(from + capacity, tokens.length);
      final int[] draft = Arrays.copyOfRange(tokens, from, to);
      return right ? draft : Arrays.stream(draft).map(t -> (t + 1) % model.nVocab()).toArray();
    }, 5);
  }

  private static int[] joined(int[] a, int[] b) {
    return IntStream.concat(Arrays.stream(a), Arrays.stream(b)).toArray();
  }

  private static void plainIsSpeculative(Model model, DecodeParams params, List<SessionParams> sessions) {
    long accepted = 0;
    for (int[] tokens : prompts(model)) {
      final List<Result> results = new ArrayList<>();
      for (SessionParams settings : sessions) {
        try (Session session = model.session(settings)) {
          final Result plain = session.sequence().plainDecode(tokens, params);
          final int[] everything = joined(tokens, plain.tokens());
          results.add(plain);
          results.add(session.sequence().specDecode(tokens, params));
          for (boolean right : new boolean[] {true, false}) {
            try (Drafter drafter = oracle(model, everything, right)) {
              results.add(session.sequence().specDecode(tokens, params, drafter, null));
            }
          }
          try (TokenStream stream = session.sequence().stream(tokens, params)) {
            final List<Integer> pulled = new ArrayList<>();
            for (Event event : stream) {
              if (event.isToken()) pulled.add(event.token());
            }
            assertArrayEquals(plain.tokens(), pulled.stream().mapToInt(i -> i).toArray());
            results.add(stream.result());
          }
        }
      }
      for (Result result : results) {
        assertEquals(results.get(0), result);
        assertEquals(results.get(0).stop(), result.stop());
        accepted += result.stats().nAccepted();
      }
    }
    assertTrue(accepted > 0);
  }

  private static void modesOfVotes(Model model) {
    final int[] all = prompts(model).get(prompts(model).size() - 1), tokens = Arrays.copyOf(all, Math.min(all.length, 700));
    final DecodeParams params = max(24).seed(3).temperature(0.8f).topK(40);
    final List<Vote> votes = new ArrayList<>();
    for (VoteMode mode : VoteMode.values()) {
      for (SessionParams settings : SESSIONS.subList(0, 2)) {
        try (Session session = model.session(settings)) {
          votes.add(session.sequence().vote(mode, tokens, params, new VoteParams().nSamples(5), null));
        }
      }
    }
    final Vote first = votes.get(0);
    for (Vote vote : votes) {
      assertEquals(first.receipt(), vote.receipt());
      assertEquals(first.answers(), vote.answers());
      assertEquals(first.winner(), vote.winner());
      for (int i = 0; i < 5; ++i) assertEquals(first.sample(i), vote.sample(i));
    }
    try (Session session = model.session(threads(1))) {
      for (int i = 0; i < 5; ++i) assertEquals(first.sample(i), session.sequence().plainDecode(tokens, params.seed(3 + i * 7919)));
    }
  }

  @Test
  void plainIsSpeculativeOnTheTinyModel() {
    try (Model model = Support.tiny()) {
      plainIsSpeculative(model, max(48), SESSIONS);
      plainIsSpeculative(model, sampled(48), SESSIONS);
    }
  }

  @Test
  void plainIsSpeculativeOnTheRealModel() {
    try (Model model = Support.real()) {
      plainIsSpeculative(model, max(24), SESSIONS.subList(0, 2));
      plainIsSpeculative(model, sampled(24), SESSIONS.subList(0, 2));
    }
  }

  @Test
  void modesOfVotesOnTheTinyModel() {
    try (Model model = Support.tiny()) {
      modesOfVotes(model);
    }
  }

  @Test
  void modesOfVotesOnTheRealModel() {
    try (Model model = Support.real()) {
      modesOfVotes(model);
    }
  }

  /** forward() and sample() make the tokens of a run. */
  @Test
  void aLoopOverForwardIsTheRun() {
    try (Model model = Support.tiny(); Session session = model.session(threads(1))) {
      final int[] tokens = prompts(model).get(1);
      final DecodeParams params = sampled(12).ignoreStop(true);
      final Result expected = session.sequence().plainDecode(tokens, params);
      final Sequence seq = session.sequence();
      int[] found = tokens;
      FloatBuffer row = seq.forward(tokens);
      for (int i = 0; i < expected.tokens().length; ++i) {
        final int token = model.sample(row, found.length, new int[0], params);
        found = joined(found, new int[] {token});
        session.forward(row, List.of(seq), null, new int[] {token}, null);
      }
      assertArrayEquals(joined(tokens, expected.tokens()), found);
      final FloatBuffer again = session.sequence().forward(found);
      for (int i = 0; i < model.nVocab(); ++i) assertEquals(Float.floatToRawIntBits(again.get(i)), Float.floatToRawIntBits(row.get(i)));
    }
  }

  @Test
  void nextTurnAndFork() {
    try (Model model = Support.tiny(); Session session = model.session(threads(1))) {
      final Sequence seq = session.sequence();
      seq.specDecode(model.chat("Name a colour."), max(10));
      final Sequence fork = seq.fork();
      final int[] more = model.chat(List.of(Message.user("Another one.")), true, false);
      assertEquals(seq.specDecode(more, max(10)), fork.plainDecode(more, max(10)));
      assertArrayEquals(seq.tokens(), fork.tokens());
      fork.truncate(3);
      assertEquals(3, fork.length());
    }
  }
}
