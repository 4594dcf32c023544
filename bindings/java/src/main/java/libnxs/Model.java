// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An open GGUF file: immutable, shared freely between threads and sessions, which keep what they need of it after {@link #close()}. */
public final class Model extends Handle {
  private final int nVocab;

  private Model(long raw) {
    super(raw, Raw::nxs_model_close);
    nVocab = info().nVocab();
  }

  /** Reads a file with the defaults. */
  public static Model open(Path path) {
    return open(path, new ModelParams());
  }

  /** Reads a file. */
  public static Model open(Path path, ModelParams params) {
    final RawModelParams raw = params.raw();
    try {
      return new Model(Raw.nxs_model_open(cString(path.toString()), raw));
    } finally {
      raw.delete();
    }
  }

  /** The same from the bytes of a file. */
  public static Model open(byte[] file, ModelParams params) {
    final RawModelParams raw = params.raw();
    try {
      return new Model(Raw.nxs_model_open_memory(file, raw));
    } finally {
      raw.delete();
    }
  }

  /** Shape and size. */
  public ModelInfo info() {
    return with(p -> ModelInfo.of(Raw.nxs_model_get_info(p)));
  }

  /** Length of a row of logits. */
  public int nVocab() {
    return nVocab;
  }

  /** 32 hex digits over weights, vocabulary and every hyper-parameter read. */
  public String digest() {
    return with(p -> string(Raw.nxs_model_digest(p)));
  }

  /** What a log would say about the file. */
  public List<String> notes() {
    return with(p -> {
      final List<String> notes = new ArrayList<>();
      for (byte[] note; (note = Raw.nxs_model_note(p, notes.size())) != null;) notes.add(string(note));
      return notes;
    });
  }

  /** A string value of the file's metadata; null if there is none. */
  public String string(String key) {
    return with(p -> string(Raw.nxs_model_string(p, cString(key))));
  }

  /** Token ids of a text; what looks like a control token in it is plain text. */
  public int[] tokenize(String text) {
    return tokenize(text, false, false);
  }

  /** Token ids of a text. special: "&lt;|im_end|&gt;" in it is the control token; bos: the model's begin token first, if it asks for one. */
  public int[] tokenize(String text, boolean special, boolean bos) {
    final int flags = (special ? RawConstants.NXS_TEXT_SPECIAL : 0) | (bos ? RawConstants.NXS_TEXT_BOS : 0);
    return with(p -> Raw.nxs_tokenize(p, utf8(text), flags));
  }

  /** The text of tokens. */
  public String detokenize(int... tokens) {
    return string(detokenize(tokens, false));
  }

  /** The bytes of tokens; a token may end inside a character. special: write control tokens out. */
  public byte[] detokenize(int[] tokens, boolean special) {
    return with(p -> Raw.nxs_detokenize(p, tokens, special ? RawConstants.NXS_TEXT_SPECIAL : 0));
  }

  /** A user's message as the model's own template writes it, with the opening of the reply. */
  public int[] chat(String user) {
    return chat(List.of(Message.user(user)), true, false);
  }

  /**
   * A conversation as the model's own template writes it. reply: end with the opening of an assistant turn. continues: the sequence ends with a reply
   * already, give only what comes after it.
   */
  public int[] chat(List<Message> messages, boolean reply, boolean continues) {
    final byte[][] parts = new byte[2 * messages.size()][];
    for (int i = 0; i < messages.size(); ++i) {
      parts[2 * i] = cString(messages.get(i).role());
      parts[2 * i + 1] = utf8(messages.get(i).content());
    }
    final int flags = (reply ? RawConstants.NXS_CHAT_REPLY : 0) | (continues ? RawConstants.NXS_CHAT_CONTINUE : 0);
    return with(p -> Raw.nxs_chat_format(p, parts, flags));
  }

  /** Whether this token ends a run. */
  public boolean isStop(int token) {
    return with(p -> Raw.nxs_token_is_stop(p, token) != 0);
  }

  /** The token that a run would choose from a row of logits (a direct buffer, from its element 0) to stand at index position. */
  public int sample(FloatBuffer logits, long position, int[] context, DecodeParams params) {
    final RawDecodeParams raw = params.raw();
    try {
      return with(p -> Raw.nxs_sample_sized(p, logits, position, context, raw));
    } finally {
      raw.delete();
    }
  }

  /** A session with the defaults. */
  public Session session() {
    return new Session(this, new SessionParams());
  }

  /** A session. */
  public Session session(SessionParams params) {
    return new Session(this, params);
  }
}
