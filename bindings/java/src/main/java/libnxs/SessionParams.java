// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Threads, memory and instruction set of a session. Only kvType changes bits. Defaults are the library's. Every setter returns this object. */
public final class SessionParams {
  private int nThreads;
  private Isa isa;
  private KvType kvType;
  private int pageTokens;
  private int prefillChunk;
  private long nCtx;
  private long kvTokens;

  /** The defaults. */
  public SessionParams() {
    final RawSessionParams raw = new RawSessionParams();
    nThreads = (int) raw.getNThreads();
    isa = Isa.values()[(int) raw.getIsa()];
    kvType = KvType.values()[(int) raw.getKvType()];
    pageTokens = (int) raw.getPageTokens();
    prefillChunk = (int) raw.getPrefillChunk();
    nCtx = raw.getNCtx();
    kvTokens = raw.getKvTokens();
    raw.delete();
  }

  /** Threads, the calling one included; 0: the physical cores. */
  public SessionParams nThreads(int value) {
    nThreads = value;
    return this;
  }

  /** Instruction set. */
  public SessionParams isa(Isa value) {
    isa = value;
    return this;
  }

  /** How keys and values are stored. */
  public SessionParams kvType(KvType value) {
    kvType = value;
    return this;
  }

  /** Tokens in a page, a power of two from 1 to 256. */
  public SessionParams pageTokens(int value) {
    pageTokens = value;
    return this;
  }

  /** Most rows of one forward of a prompt. */
  public SessionParams prefillChunk(int value) {
    prefillChunk = value;
    return this;
  }

  /** Longest sequence; 0: the model's. */
  public SessionParams nCtx(long value) {
    nCtx = value;
    return this;
  }

  /** Size of the pool in tokens (Nxs.kvTokens); 0: grow. */
  public SessionParams kvTokens(long value) {
    kvTokens = value;
    return this;
  }

  /** As the library reads it; the caller deletes it. */
  RawSessionParams raw() {
    final RawSessionParams raw = new RawSessionParams();
    raw.setNThreads(nThreads);
    raw.setIsa(isa.ordinal());
    raw.setKvType(kvType.ordinal());
    raw.setPageTokens(pageTokens);
    raw.setPrefillChunk(prefillChunk);
    raw.setNCtx(nCtx);
    raw.setKvTokens(kvTokens);
    return raw;
  }
}
