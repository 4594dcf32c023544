// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Shape and size of a model; nCtx in tokens, kvBytesPerToken with F16 keys and values. */
public record ModelInfo(int nVocab, int nLayers, int nEmbd, int nHeads, int nHeadsKv, long nCtx, long weightBytes, long kvBytesPerToken) {
  static ModelInfo of(RawModelInfo raw) {
    return new ModelInfo((int) raw.getNVocab(), (int) raw.getNLayers(), (int) raw.getNEmbd(), (int) raw.getNHeads(), (int) raw.getNHeadsKv(),
        raw.getNCtx(), raw.getWeightBytes(), raw.getKvBytesPerToken());
  }
}
