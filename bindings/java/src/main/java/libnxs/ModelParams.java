// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How a model is opened. Defaults are the library's. Every setter returns this object. */
public final class ModelParams {
  private int nThreads;
  private long maxBytes;

  /** The defaults. */
  public ModelParams() {
    final RawModelParams raw = new RawModelParams();
    nThreads = (int) raw.getNThreads();
    maxBytes = raw.getMaxBytes();
    raw.delete();
  }

  /** Threads for packing; 0: the physical cores. */
  public ModelParams nThreads(int value) {
    nThreads = value;
    return this;
  }

  /** Refuse a model whose weights would take more; 0: no limit. */
  public ModelParams maxBytes(long value) {
    maxBytes = value;
    return this;
  }

  /** As the library reads it; the caller deletes it. */
  RawModelParams raw() {
    final RawModelParams raw = new RawModelParams();
    raw.setNThreads(nThreads);
    raw.setMaxBytes(maxBytes);
    return raw;
  }
}
