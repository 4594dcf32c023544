// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** What decides the tokens of a run, and is in its receipt: greedy decoding of 256 tokens unless changed. Defaults are the library's. Every setter returns this object. */
public final class DecodeParams {
  private long maxNew;
  private long seed;
  private float temperature;
  private float topP;
  private float minP;
  private int topK;
  private float repeatPenalty;
  private int repeatLast;
  private boolean ignoreStop;
  private boolean logprobs;

  /** The defaults. */
  public DecodeParams() {
    final RawDecodeParams raw = new RawDecodeParams();
    maxNew = raw.getMaxNew();
    seed = raw.getSeed();
    temperature = raw.getTemperature();
    topP = raw.getTopP();
    minP = raw.getMinP();
    topK = raw.getTopK();
    repeatPenalty = raw.getRepeatPenalty();
    repeatLast = raw.getRepeatLast();
    raw.delete();
  }

  /** The defaults of a vote, whose samples must differ: temperature 0.7, top 40. */
  public static DecodeParams forVotes() {
    return new DecodeParams().temperature(0.7f).topK(40);
  }

  /** Most tokens to emit; 0: only take the prompt in; -1: until a stop or the context's end. */
  public DecodeParams maxNew(long value) {
    maxNew = value;
    return this;
  }

  /** A draw depends on the seed and its position alone. */
  public DecodeParams seed(long value) {
    seed = value;
    return this;
  }

  /** 0: greedy. */
  public DecodeParams temperature(float value) {
    temperature = value;
    return this;
  }

  /** 0 to 1; 1: off. */
  public DecodeParams topP(float value) {
    topP = value;
    return this;
  }

  /** 0 to 1; 0: off. */
  public DecodeParams minP(float value) {
    minP = value;
    return this;
  }

  /** 0: off. */
  public DecodeParams topK(int value) {
    topK = value;
    return this;
  }

  /** 1: off. */
  public DecodeParams repeatPenalty(float value) {
    repeatPenalty = value;
    return this;
  }

  /** How many last tokens the penalty looks at. */
  public DecodeParams repeatLast(int value) {
    repeatLast = value;
    return this;
  }

  /** Emit stop tokens like any other. */
  public DecodeParams ignoreStop(boolean value) {
    ignoreStop = value;
    return this;
  }

  /** Fill Result.logprobs; changes neither tokens nor receipt. */
  public DecodeParams logprobs(boolean value) {
    logprobs = value;
    return this;
  }

  /** As the library reads it; the caller deletes it. */
  RawDecodeParams raw() {
    final RawDecodeParams raw = new RawDecodeParams();
    raw.setMaxNew(maxNew);
    raw.setSeed(seed);
    raw.setTemperature(temperature);
    raw.setTopP(topP);
    raw.setMinP(minP);
    raw.setTopK(topK);
    raw.setRepeatPenalty(repeatPenalty);
    raw.setRepeatLast(repeatLast);
    raw.setFlags((ignoreStop ? RawConstants.NXS_DECODE_IGNORE_STOP : 0) | (logprobs ? RawConstants.NXS_DECODE_LOGPROBS : 0));
    return raw;
  }
}
