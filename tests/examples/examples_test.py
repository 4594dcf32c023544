# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: examples_test.py MODEL LIBRARY DECODE STREAM TREE_SEARCH DECODE_DLOPEN. The C examples run on a model, agree
with one another, and fail with the library's message."""
import subprocess
import sys
import unittest

MODEL, LIBRARY, DECODE, STREAM, TREE_SEARCH, DECODE_DLOPEN = sys.argv[1:7]


def run(*command, expected=0):
    """(stdout, stderr) of a program that ends with this status."""
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == expected, done
    return done.stdout, done.stderr.decode()


def receipts(text):
    return [word.strip(",]:") for word in text.replace("[", " ").split() if word.startswith("1:")]


class Examples(unittest.TestCase):
    def test_decode(self):
        text, said = run(DECODE, MODEL, "hello")
        self.assertGreater(len(text), 10)
        self.assertIn("128 tokens", said)
        self.assertEqual(len(receipts(said)), 1)

    def test_dlopen_gives_the_same(self):
        linked, loaded = run(DECODE, MODEL, "hello"), run(DECODE_DLOPEN, LIBRARY, MODEL, "hello")
        self.assertEqual(linked[0], loaded[0])
        self.assertEqual(receipts(linked[1]), receipts(loaded[1]))

    def test_streams_end_and_go_on(self):
        whole, said = run(STREAM, MODEL, "hello")
        self.assertNotIn("cancelled", said)
        self.assertEqual(len(receipts(said)), 2)
        self.assertTrue(whole.startswith(run(DECODE, MODEL, "hello")[0].rstrip(b"\n")[:40]))
        cut, said = run(STREAM, MODEL, "hello", "5")
        self.assertTrue(said.startswith("[5 tokens, cancelled, 1:"), said)
        self.assertEqual(len(receipts(said)), 2)
        self.assertNotEqual(cut, whole)

    def test_the_narrowest_tree_is_greedy(self):
        greedy = run(DECODE, MODEL, "hello")[0]
        for depth in ("1", "2", "9"):
            tree = run(TREE_SEARCH, MODEL, "hello", "1", depth)[0]
            self.assertTrue(greedy.startswith(tree[:-1]), (greedy, tree))

    def test_wider_trees_find_no_worse(self):
        def score(width):
            return float(run(TREE_SEARCH, MODEL, "hello", width, "8")[1].split()[1].rstrip(","))

        scores = [score(width) for width in ("1", "4", "32")]
        self.assertEqual(scores, sorted(scores))
        self.assertLess(scores[2], 0)

    def test_failures(self):
        for command in ([DECODE], [STREAM], [TREE_SEARCH], [DECODE_DLOPEN, LIBRARY]):
            self.assertIn("/no/such/file", run(*command, "/no/such/file", expected=1)[1])
            self.assertIn("usage", run(*command, expected=2)[1])
        self.assertIn("no_such_library", run(DECODE_DLOPEN, "no_such_library.so", MODEL, expected=1)[1])
        run(TREE_SEARCH, MODEL, "hello", "65", expected=2)


unittest.main(argv=sys.argv[:1])
