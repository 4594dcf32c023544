// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Samples and their answers, the one with most votes first. Independent of model and session. One thread at a time: the others wait. */
public final class Vote extends Handle {
  /** An answer and its votes. */
  public record Answer(String text, int votes) {}

  Vote(long raw) {
    super(raw, Raw::nxs_vote_close);
  }

  /** Number of samples that have a result. */
  public synchronized int size() {
    return with(Raw::nxs_vote_n_samples);
  }

  /** Samples that could not change the winner any more ({@link VoteParams#early}). */
  public synchronized int nSkipped() {
    return with(Raw::nxs_vote_n_skipped);
  }

  /** The result of one sample. */
  public synchronized Result sample(int i) {
    return with(p -> {
      final long raw = Raw.nxs_vote_sample(p, i);
      if (raw == 0) throw new IndexOutOfBoundsException("sample " + i + " of " + Raw.nxs_vote_n_samples(p));
      return new Result(raw);
    });
  }

  /** The answer of one sample; null if it has none. */
  public synchronized String sampleAnswer(int i) {
    return with(p -> string(Raw.nxs_vote_sample_answer(p, i)));
  }

  /** The answers, most votes first, then the lowest sample. */
  public synchronized List<Answer> answers() {
    return with(p -> {
      final List<Answer> answers = new ArrayList<>();
      for (int i = 0; i < Raw.nxs_vote_n_answers(p); ++i) {
        answers.add(new Answer(string(Raw.nxs_vote_answer(p, i)), Raw.nxs_vote_answer_count(p, i)));
      }
      return answers;
    });
  }

  /** The answer with most votes; null when no sample gave one. */
  public synchronized String winner() {
    return with(p -> string(Raw.nxs_vote_answer(p, 0)));
  }

  /** The same as a number; throws {@link Status#NO_ANSWER} or {@link Status#RANGE}. */
  public synchronized long winnerLong() {
    return with(Raw::nxs_vote_winner_int64);
  }

  /** Whether the second answer has as many votes. */
  public synchronized boolean isTie() {
    return with(p -> Raw.nxs_vote_is_tie(p) != 0);
  }

  /** Of the whole call: a shared prefill or forward counts once. */
  public synchronized Stats stats() {
    return with(p -> Stats.of(Raw.nxs_vote_stats(p)));
  }

  /** Over the samples' receipts and answers. */
  public synchronized String receipt() {
    return with(p -> string(Raw.nxs_vote_receipt(p)));
  }

  /** Replaces the answer of one sample (null: none) and counts again. */
  public synchronized void setAnswer(int i, String answer) {
    with(p -> {
      Raw.nxs_vote_set_answer(p, i, cString(answer));
      return null;
    });
  }

  /** Sets every sample's answer by a function of its text. */
  public synchronized void extract(Function<String, String> answerOf) {
    for (int i = 0; i < size(); ++i) setAnswer(i, answerOf.apply(sample(i).text()));
  }
}
