// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.nio.FloatBuffer;
import java.util.List;

/** Tokens with their keys and values: holds prompt and output of its runs, ready for the next turn. */
public final class Sequence extends Handle {
  private final Session session;

  Sequence(Session session, long raw) {
    super(raw, Raw::nxs_seq_close);
    this.session = session;
    session.adopt(this);
  }

  /** The session it belongs to. */
  public Session session() {
    return session;
  }

  /** Number of tokens. */
  public long length() {
    return with(Raw::nxs_seq_length);
  }

  /** All its tokens. */
  public int[] tokens() {
    return with(Raw::nxs_seq_tokens);
  }

  /** A copy that shares its pages; nothing is computed. */
  public Sequence fork() {
    return fork(-1);
  }

  /** The first length tokens (-1: all) as a sequence of its own. */
  public Sequence fork(long length) {
    return new Sequence(session, with(p -> Raw.nxs_seq_fork(p, length)));
  }

  /** Forgets the tokens from index length on. */
  public void truncate(long length) {
    with(p -> {
      Raw.nxs_seq_truncate(p, length);
      return null;
    });
  }

  /** Runs on this sequence end before this text, which is not emitted. */
  public void addStop(String text) {
    if (text.isEmpty()) throw new IllegalArgumentException("the stop text is empty");
    with(p -> {
      Raw.nxs_seq_add_stop(p, utf8(text));
      return null;
    });
  }

  /** Removes all stop texts. */
  public void clearStops() {
    with(p -> {
      Raw.nxs_seq_add_stop(p, new byte[0]);
      return null;
    });
  }

  /** Appends tokens and gives the logits after the last of them. */
  public FloatBuffer forward(int... tokens) {
    final FloatBuffer row = session.rows(1);
    session.forward(row, List.of(this), new int[] {tokens.length}, tokens, null);
    return row;
  }

  /** Appends the prompt and emits tokens, one forward per token. An empty prompt goes on from what the sequence holds. */
  public Result plainDecode(int[] prompt, DecodeParams params) {
    return plainDecode(prompt, params, null);
  }

  /** The same with a listener (may be null). */
  public Result plainDecode(int[] prompt, DecodeParams params, EventListener listener) {
    final RawDecodeParams raw = params.raw();
    try {
      return Result.taking(with(p -> Raw.nxs_plain_decode(p, prompt, raw, listener)));
    } finally {
      raw.delete();
    }
  }

  /** The same tokens, the same receipt, faster: drafts by prompt lookup are verified in one forward. */
  public Result specDecode(int[] prompt, DecodeParams params) {
    return specDecode(prompt, params, null, null);
  }

  /** The same with a drafter and a listener; each may be null. */
  public Result specDecode(int[] prompt, DecodeParams params, Drafter drafter, EventListener listener) {
    final RawDecodeParams raw = params.raw();
    try {
      return Result.taking(with(p -> Drafter.with(drafter, d -> Raw.nxs_spec_decode(p, prompt, raw, d, listener))));
    } finally {
      raw.delete();
    }
  }

  /** The same run as an iterator of events. The sequence is in use until the stream ends or closes. */
  public TokenStream stream(int[] prompt, DecodeParams params) {
    return stream(prompt, params, null);
  }

  /** The same with a drafter. */
  public TokenStream stream(int[] prompt, DecodeParams params, Drafter drafter) {
    final RawDecodeParams raw = params.raw();
    try {
      final TokenStream stream = with(p -> TokenStream.open(drafter, d -> Raw.nxs_stream_open(p, prompt, raw, d)));
      session.adopt(stream);
      return stream;
    } finally {
      raw.delete();
    }
  }

  /** Appends the prompt, samples continuations of it in one batch, and votes, with {@link DecodeParams#forVotes}. */
  public Vote vote(int[] prompt, VoteParams params) {
    return vote(VoteMode.BATCHED, prompt, DecodeParams.forVotes(), params, null);
  }

  /** The same with everything said; the listener may be null. Samples of greedy decoding, the default of DecodeParams, are all alike. */
  public Vote vote(VoteMode mode, int[] prompt, DecodeParams params, VoteParams vote, EventListener listener) {
    final RawDecodeParams raw = params.raw();
    final RawVoteParams rawVote = vote.raw();
    try {
      return new Vote(with(p -> switch (mode) {
        case RESET -> Raw.nxs_selfconsist_reset(p, prompt, raw, rawVote, listener);
        case PAGED -> Raw.nxs_selfconsist_paged(p, prompt, raw, rawVote, listener);
        case BATCHED -> Raw.nxs_selfconsist_batched(p, prompt, raw, rawVote, listener);
      }));
    } finally {
      raw.delete();
      rawVote.delete();
    }
  }
}
