#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""difference.py A B N_ROWS [MOST]: the largest difference of two logits files and the share of rows with the same argmax.

Fails when the difference is above MOST."""

import array
import sys


def rows(path, n_rows):
    values = array.array("f")
    with open(path, "rb") as f:
        values.frombytes(f.read())
    width = len(values) // n_rows
    return [values[i * width:(i + 1) * width] for i in range(n_rows)]


def main():
    a, b, n_rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    most = float(sys.argv[4]) if len(sys.argv) > 4 else float("inf")
    pairs = list(zip(rows(a, n_rows), rows(b, n_rows)))
    largest = max(abs(x - y) for left, right in pairs for x, y in zip(left, right))
    same = sum(max(range(len(l)), key=l.__getitem__) == max(range(len(r)), key=r.__getitem__) for l, r in pairs)
    print(f"largest logit difference {largest:.6f}, equal argmax {same} of {n_rows} rows" + (f" (at most {most} allowed)" if len(sys.argv) > 4 else ""))
    return 0 if largest <= most else 1


if __name__ == "__main__":
    sys.exit(main())
