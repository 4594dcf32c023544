// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** What a session uses now; pool sizes in tokens, memory in bytes. */
public record SessionInfo(int nThreads, Isa isa, int pageTokens, long nCtx, long kvTokens, long kvTokensFree, long kvTokensPeak, long kvBytes,
    long scratchBytes) {
  static SessionInfo of(RawSessionInfo raw) {
    return new SessionInfo((int) raw.getNThreads(), Isa.values()[(int) raw.getIsa()], (int) raw.getPageTokens(), raw.getNCtx(), raw.getKvTokens(),
        raw.getKvTokensFree(), raw.getKvTokensPeak(), raw.getKvBytes(), raw.getScratchBytes());
  }
}
