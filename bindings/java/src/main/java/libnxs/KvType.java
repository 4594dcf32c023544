// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** How keys and values are stored. Changes the bits, and so the receipt. */
public enum KvType {
  F16, F32
}
