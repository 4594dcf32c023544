// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import static libnxs.Support.fails;
import static libnxs.Support.max;
import static libnxs.Support.threads;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors carry the library's message and a status; wrong arguments never do more than throw. */
class ErrorsTest {
  private static final Model MODEL = Support.tiny();
  private Session session;
  private Sequence seq;

  @BeforeEach
  void open() {
    session = MODEL.session(threads(1));
    seq = session.sequence();
  }

  @AfterAll
  static void close() {
    MODEL.close();
  }

  @Test
  void statusesAreThoseOfTheHeader() throws ReflectiveOperationException {
    for (Status status : Status.values()) {
      final String name = status == Status.OK ? "NXS_OK" : "NXS_ERR_" + status;
      assertEquals(-status.ordinal(), RawConstants.class.getField(name).getInt(null));
    }
  }

  @Test
  void messages() {
    fails(Status.IO, "/no/such/file", () -> Model.open(Path.of("/no/such/file")));
    fails(Status.FORMAT, "", () -> Model.open("not a model".getBytes(), new ModelParams()));
    fails(Status.MEMORY, "", () -> Model.open(Support.TINY, new ModelParams().maxBytes(1)));
    fails(Status.ARGUMENT, "temperature", () -> seq.plainDecode(new int[] {1}, max(1).temperature(-1)));
    fails(Status.ARGUMENT, "", () -> seq.plainDecode(new int[0], max(1)));
    fails(Status.ARGUMENT, "", () -> seq.plainDecode(new int[] {1_000_000}, max(1)));
    fails(Status.CONTEXT, "", () -> seq.plainDecode(new int[5000], max(1)));
    fails(Status.UNSUPPORTED, "", () -> MODEL.session(new SessionParams().isa(Isa.NEON)));
    fails(Status.ARGUMENT, "page_tokens", () -> MODEL.session(new SessionParams().pageTokens(3)));
    fails(Status.ARGUMENT, "", () -> MODEL.session(new SessionParams().nThreads(-1)));
    fails(Status.KV_FULL, "", () -> MODEL.session(threads(1).kvTokens(64)).sequence().plainDecode(new int[100], max(1)));
    fails(Status.ARGUMENT, "", () -> seq.truncate(1));
    assertEquals(0, seq.length());
    final Vote vote = seq.vote(new int[] {1}, new VoteParams().nSamples(2).extractor(Extractor.NONE));
    fails(Status.NO_ANSWER, "", vote::winnerLong);
    vote.setAnswer(0, "123456789012345678901234567890");
    fails(Status.RANGE, "", vote::winnerLong);
    vote.extract(text -> "-7");
    assertEquals(-7, vote.winnerLong());
    assertEquals(List.of(new Vote.Answer("-7", 2)), vote.answers());
    assertThrows(IndexOutOfBoundsException.class, () -> vote.sample(2));
    assertThrows(IllegalArgumentException.class, () -> vote.setAnswer(0, "a\0b"));
  }

  @Test
  void text() {
    final String text = "naïve → 𝄞 12 <|im_end|> \0 end";
    assertEquals(text, MODEL.detokenize(MODEL.tokenize(text)));
    assertEquals(1, MODEL.tokenize("<|im_end|>", true, false).length);
    assertTrue(MODEL.isStop(MODEL.tokenize("<|im_end|>", true, false)[0]));
    final String lengthy = "abc ".repeat(20000);
    assertEquals(lengthy, MODEL.detokenize(MODEL.tokenize(lengthy)));
    assertEquals("1234", Nxs.extract(Extractor.LAST_INTEGER, "It is 1,234."));
    assertNull(Nxs.extract(Extractor.LAST_INTEGER, "none"));
    assertEquals("llama", MODEL.string("general.architecture"));
    assertNull(MODEL.string("no.such.key"));
    assertEquals(32, Nxs.selftest(0).length());
    assertTrue(Nxs.buildInfo().startsWith("{") && MODEL.digest().length() == 32 && !MODEL.notes().isEmpty());
  }

  @Test
  void logits() {
    final int n = MODEL.nVocab();
    final FloatBuffer rows = session.rows(2);
    for (FloatBuffer bad : new FloatBuffer[] {FloatBuffer.allocate(n), rows.asReadOnlyBuffer(), ByteBuffer.allocateDirect(4 * n).asFloatBuffer()}) {
      assertThrows(IllegalArgumentException.class, () -> session.forward(bad, List.of(seq), null, new int[] {1}, null));
    }
    fails(Status.BUFFER, "", () -> session.forward(session.rows(0), List.of(seq), null, new int[] {1}, null));
    fails(Status.ARGUMENT, "", () -> session.forward(rows, List.of(seq), new int[] {1}, new int[] {1, 2}, null));
    fails(Status.ARGUMENT, "", () -> session.forward(rows, List.of(seq), new int[] {-1}, new int[] {1}, null));
    fails(Status.ARGUMENT, "", () -> session.forward(rows, List.of(seq), new int[] {2}, new int[] {1, 2}, new boolean[] {true}));
    fails(Status.ARGUMENT, "", () -> session.forward(rows, List.of(seq, seq), null, new int[] {1, 2}, null));
    fails(Status.ARGUMENT, "", () -> session.forward(rows, List.of(), null, new int[0], null));
    fails(Status.ARGUMENT, "", () -> MODEL.sample(rows, 1, null, max(1)));
    assertEquals(0, seq.length());
    session.forward(rows, List.of(seq), new int[] {2}, new int[] {1, 2}, new boolean[] {true, true});
    assertEquals(2, seq.length());
  }

  /** Every generated function with zeros for handles and nulls for the rest. */
  @Test
  void anyArgumentsToTheGeneratedLayer() throws ReflectiveOperationException {
    final Random random = new Random(1);
    int refused = 0, called = 0;
    for (Method method : Raw.class.getDeclaredMethods()) {
      if (!method.getName().startsWith("nxs_") || method.getName().startsWith("nxs_draft")) continue;
      for (int round = 0; round < 20; ++round, ++called) {
        try {
          method.invoke(null, arguments(method, random));
        } catch (java.lang.reflect.InvocationTargetException failure) {
          ++refused;
        }
      }
    }
    assertTrue(called > 800 && refused > 300, called + " calls, " + refused + " refused");
  }

  /** A long may be a handle, so it is 0; nothing else of these can be an address. */
  private static Object[] arguments(Method method, Random random) {
    final Object[] arguments = new Object[method.getParameterCount()];
    for (int i = 0; i < arguments.length; ++i) {
      final Class<?> type = method.getParameterTypes()[i];
      if (type == long.class) arguments[i] = 0L;
      if (type == int.class) arguments[i] = random.nextInt();
      if (type == int[].class && random.nextBoolean()) arguments[i] = new int[] {random.nextInt(), 1};
      if (type == byte[].class && random.nextBoolean()) arguments[i] = new byte[] {(byte) random.nextInt(), 0, -1};
      if (type == long[].class && random.nextBoolean()) arguments[i] = new long[] {0, 0};
      if (type == byte[][].class && random.nextBoolean()) arguments[i] = new byte[][] {null, {1}, {2}};
    }
    return arguments;
  }
}
