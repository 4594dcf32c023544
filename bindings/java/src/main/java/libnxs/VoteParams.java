// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How many samples vote, and how. Defaults are the library's. Every setter returns this object. */
public final class VoteParams {
  private int nSamples;
  private Extractor extractor;
  private int maxBatch;
  private long seedStride;
  private boolean early;

  /** The defaults. */
  public VoteParams() {
    final RawVoteParams raw = new RawVoteParams();
    nSamples = (int) raw.getNSamples();
    extractor = Extractor.values()[(int) raw.getExtractor()];
    maxBatch = (int) raw.getMaxBatch();
    seedStride = raw.getSeedStride();
    raw.delete();
  }

  /** Samples, 1 or more. */
  public VoteParams nSamples(int value) {
    nSamples = value;
    return this;
  }

  /** How an answer is found. */
  public VoteParams extractor(Extractor value) {
    extractor = value;
    return this;
  }

  /** Most samples in one forward; 0: as many as the pool holds. Changes no bit. */
  public VoteParams maxBatch(int value) {
    maxBatch = value;
    return this;
  }

  /** Sample s draws from seed + s * seedStride. */
  public VoteParams seedStride(long value) {
    seedStride = value;
    return this;
  }

  /** Stop as soon as no other sample can change the winner. */
  public VoteParams early(boolean value) {
    early = value;
    return this;
  }

  /** As the library reads it; the caller deletes it. */
  RawVoteParams raw() {
    final RawVoteParams raw = new RawVoteParams();
    raw.setNSamples(nSamples);
    raw.setExtractor(extractor.ordinal());
    raw.setMaxBatch(maxBatch);
    raw.setSeedStride(seedStride);
    raw.setFlags((early ? RawConstants.NXS_VOTE_EARLY : 0));
    return raw;
  }
}
