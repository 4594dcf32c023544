// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Counts and seconds of a run; nxs.h defines them so that the sums close. */
public record Stats(Stop stop, long nPrompt, long nReused, long nForwards, long nRows, long nDrafted, long nAccepted, long nEmitted,
    double prefillSeconds, double decodeSeconds, double draftSeconds) {
  static Stats of(RawStats raw) {
    return new Stats(Stop.values()[(int) raw.getStop()], raw.getNPrompt(), raw.getNReused(), raw.getNForwards(), raw.getNRows(), raw.getNDrafted(),
        raw.getNAccepted(), raw.getNEmitted(), raw.getPrefillSeconds(), raw.getDecodeSeconds(), raw.getDraftSeconds());
  }
}
