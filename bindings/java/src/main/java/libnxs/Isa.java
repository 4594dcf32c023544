// SPDX-License-Identifier: Apache-2.0 OR MIT
package libnxs;

/** Instruction set of a session. None of them changes a bit. */
public enum Isa {
  BEST, REFERENCE, AVX2, AVX512, NEON
}
