#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""difference.py A B N_ROWS [MOST]: the largest difference of two logits files, and how many rows have the same argmax.

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
    same = sum(left.index(max(left)) == right.index(max(right)) for left, right in pairs)
    limit = f" (at most {most} allowed)" if len(sys.argv) > 4 else ""
    print(f"largest logit difference {largest:.6f}, equal argmax {same} of {n_rows} rows{limit}")
    return 0 if largest <= most else 1


if __name__ == "__main__":
    sys.exit(main())
