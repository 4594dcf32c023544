// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How a drafter looks up. Defaults are the library's. Every setter returns this object. */
public final class LookupParams {
  private int draftMax;
  private int ngramMax;
  private int ngramMin;
  private boolean adaptive;
  private float rowCost;

  /** The defaults. */
  public LookupParams() {
    final RawLookupParams raw = new RawLookupParams();
    draftMax = (int) raw.getDraftMax();
    ngramMax = (int) raw.getNgramMax();
    ngramMin = (int) raw.getNgramMin();
    adaptive = raw.getAdaptive() != 0;
    rowCost = raw.getRowCost();
    raw.delete();
  }

  /** Most tokens in a draft; 0: never draft. */
  public LookupParams draftMax(int value) {
    draftMax = value;
    return this;
  }

  /** Longest suffix looked up. */
  public LookupParams ngramMax(int value) {
    ngramMax = value;
    return this;
  }

  /** Shortest. */
  public LookupParams ngramMin(int value) {
    ngramMin = value;
    return this;
  }

  /** Draft less while acceptance is too low to pay. */
  public LookupParams adaptive(boolean value) {
    adaptive = value;
    return this;
  }

  /** What a further row of a forward then counts, as a share of one; 0: by the kind of weights. */
  public LookupParams rowCost(float value) {
    rowCost = value;
    return this;
  }

  /** As the library reads it; the caller deletes it. */
  RawLookupParams raw() {
    final RawLookupParams raw = new RawLookupParams();
    raw.setDraftMax(draftMax);
    raw.setNgramMax(ngramMax);
    raw.setNgramMin(ngramMin);
    raw.setAdaptive(adaptive ? 1 : 0);
    raw.setRowCost(rowCost);
    return raw;
  }
}
