# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: command_test.py NXS MODEL WRITE_TINY_MODEL. The nxs command on a tiny model: output that cannot be written,
wrong use, records that were changed, interrupted benchmarks, terminals."""
import json
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import run, run_full, run_on_terminal

NXS, MODEL, WRITE_TINY_MODEL = sys.argv[1:4]
ECHO = "one two one two one two one two"  # drafts are found


def record(*arguments):
    return json.loads(run(NXS, *arguments, "--json")[0])


class Output(unittest.TestCase):
    def test_no_room(self):
        for arguments in (["--help"], ["--version"], ["help", "vote"], ["info", MODEL], ["info", MODEL, "--json"],
                          ["selftest"], ["tokens", MODEL, "hello"], ["tokens", MODEL, "--decode", "40 41"],
                          ["run", MODEL, "hi", "-n", "4"], ["run", MODEL, "hi", "-n", "4", "--json"],
                          ["vote", MODEL, "hi", "-n", "4", "--samples", "2", "--extract", "none", "--json"],
                          ["bench", MODEL, "prefill", "--rounds", "1", "--keys", "32"]):
            status, said = run_full(NXS, *arguments)
            self.assertEqual(status, 1, arguments)
            self.assertIn("nxs: cannot write standard output: No space left on device\n", said)

    def test_a_run_ends_with_its_output(self):
        said = run_full(NXS, "run", MODEL, "hi", "-n", "400", "--ignore-stop")[1]
        self.assertIn("stop: cancelled", said)

    def test_plurals(self):
        self.assertIn("[1 sample, ", run(NXS, "vote", MODEL, "hi", "-n", "1", "--samples", "1", expected=4)[1])
        self.assertIn(" 1 new, ", run(NXS, "run", MODEL, "hi", "-n", "1")[1])
        self.assertIn("| 1 forward, ", run(NXS, "run", MODEL, "hi", "-n", "1")[1])

    def test_decoded_bytes_and_no_more(self):
        ids = run(NXS, "tokens", MODEL, "hello")[0].decode().strip()
        self.assertEqual(run(NXS, "tokens", MODEL, "--decode", ids)[0], b"hello")
        self.assertEqual(run_on_terminal(NXS, "tokens", MODEL, "--decode", ids), b"hello\r\n")

    def test_every_byte_of_a_prompt(self):
        asked = record("run", MODEL, "hi\n", "-n", "1")["prompt_tokens"]
        piped = json.loads(run(NXS, "run", MODEL, "-n", "1", "--json", given=b"hi\n")[0])
        self.assertEqual(piped["prompt_tokens"], asked)
        self.assertNotEqual(record("run", MODEL, "hi", "-n", "1")["prompt_tokens"], asked)
        self.assertEqual(record("run", MODEL, "", "-n", "1")["stats"]["n_emitted"], 1)


class Terminals(unittest.TestCase):
    def test_colour(self):
        arguments = (NXS, "run", MODEL, ECHO, "--raw", "-n", "100", "--ignore-stop", "--fixed-draft")
        self.assertIn("1", record(*arguments[1:])["drafted"])
        self.assertIn(b"\x1b[36m", run_on_terminal(*arguments))
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(b"\x1b", run_on_terminal(*arguments, **variables))

    def test_a_vote_is_drawn_where_that_works(self):
        arguments = (NXS, "vote", MODEL, "hi", "-n", "4", "--samples", "2")
        self.assertIn(b"\x1b[", run_on_terminal(*arguments))
        self.assertNotIn(b"\x1b", run_on_terminal(*arguments, TERM="dumb"))

    def test_a_hint_that_input_is_awaited(self):
        hint = "nxs: reading standard input until Ctrl-D"
        self.assertIn(hint.encode(), run_on_terminal(NXS, "tokens", MODEL, stdin=True))
        self.assertNotIn(hint.encode(), run_on_terminal(NXS, "tokens", MODEL, "hello", stdin=True))
        self.assertNotIn(hint, run(NXS, "tokens", MODEL, given=b"hello")[1])


class Usage(unittest.TestCase):
    def test_unknown_subcommands(self):
        for word, nearest in (("runn", "run"), ("chekc", "check"), ("self-test", "selftest"), ("ifno", None),
                              ("xyz", None)):
            said = run(NXS, word, MODEL, expected=2)[1]
            self.assertIn(f"unknown subcommand '{word}'", said)
            self.assertEqual(re.findall(r"did you mean '(\w+)'", said), [nearest] if nearest else [])
        run(NXS, "help", "runn", expected=2)

    def test_help_and_version(self):
        self.assertEqual(run(NXS, "help"), run(NXS, "--help"))
        self.assertEqual(run(NXS, "help", "vote"), run(NXS, "vote", "--help"))
        self.assertEqual(run(NXS, "-v"), run(NXS, "--version"))
        for word in ("newline", "coloured"):
            self.assertIn(word, run(NXS, "help", "run")[0].decode())

    def test_values_out_of_range(self):
        common = ["-n -2", "--temp -1", "--temp nan", "--temp inf", "--temp 1e39", "--top-k -1", "--top-p 3",
                  "--top-p nan", "--min-p -0.1", "--repeat-penalty 0", "--repeat-last -1", "--page 3", "--page 512",
                  "--threads 1025", "--prefill-chunk 0", "--prefill-chunk 65537", "--context -1", "--kv-tokens -1",
                  "--stop ", "--kv f64", "--isa none"]
        for command, more in (("run", ["--draft 257", "--ngram-max 65", "--ngram-min 0", "--ngram-min 4",
                                       "--row-cost 1.1", "--row-cost nan"]),
                              ("vote", ["--samples 0", "--samples 1048577"])):
            for name, _, value in (setting.partition(" ") for setting in common + more):
                said = run(NXS, command, MODEL, "hi", name, value, expected=2)[1]
                self.assertIn(name, said.replace("--max-new", "-n"))
        run(NXS, "run", MODEL, "--raw", "", expected=2)

    def test_ends_of_the_ranges(self):
        run(NXS, "run", MODEL, "hi", "-n", "0", "--temp", "0", "--top-p", "0", "--min-p", "1", "--page", "256",
            "--prefill-chunk", "65536", "--draft", "256", "--ngram-max", "64", "--ngram-min", "1",
            "--row-cost", "1")

    def test_whole_numbers_are_decimal_and_never_clamped(self):
        for name, value in (("--seed", "9223372036854775808"), ("-n", "99999999999999999999"), ("--seed", "0x10"),
                            ("--top-k", "2147483648"), ("--threads", "1.5"), ("--seed", "+-1"), ("--page", "0x8")):
            said = run(NXS, "run", MODEL, "hi", name, value, expected=2)[1]
            self.assertRegex(said, f"{name.replace('-n', '--max-new')}: .*{re.escape(value)} is not a whole number")
        for value, seed in (("010", 10), ("+7", 7), ("-09", -9), ("9223372036854775807", 2**63 - 1)):
            asked = record("run", MODEL, "hi", "-n", "01", f"--seed={value}", "--page", "016")
            self.assertEqual((asked["params"]["seed"], asked["params"]["max_new"]), (seed, 1))
        for value in ("0", "-1"):
            self.assertIn("--rounds", run(NXS, "bench", MODEL, "load", "--rounds", value, expected=2)[1])

    def test_a_record_holds_stops_that_are_utf8(self):
        arguments = ("run", MODEL, "hi", "-n", "1", "--stop", b"\xff")
        self.assertIn("--stop: with --json it must be UTF-8", run(NXS, *arguments, "--json", expected=2)[1])
        run(NXS, *arguments)
        self.assertEqual(record(*arguments[:-1], "\u00e9")["stops"], ["\u00e9"])

    def test_directories(self):
        for arguments in (("vote", MODEL, "-f", "/"), ("check", MODEL, "/"), ("bench", MODEL, "spec", "-f", "/")):
            self.assertEqual(run(NXS, *arguments, expected=1)[1], "nxs: /: is a directory\n")

    def test_a_tiny_model_that_cannot_be(self):
        self.assertIn("write_tiny_model: ", run(WRITE_TINY_MODEL, "/dev/null", "echo=4", expected=2)[1])

    def test_tokens_takes_ids_or_a_text(self):
        for more in (["hello"], ["-f", MODEL]):
            self.assertIn("excludes", run(NXS, "tokens", MODEL, *more, "--decode", "40", expected=2)[1])
        for ids in ("x", "-1", "1000000"):
            self.assertIn(f'"{ids}" is no token id', run(NXS, "tokens", MODEL, f"--decode={ids}", expected=2)[1])

    def test_an_empty_file_name_is_not_standard_input(self):
        self.assertIn("cannot open", run(NXS, "run", MODEL, "-f", "", given=b"hello", expected=1)[1])


class Votes(unittest.TestCase):
    def test_cut_samples_are_counted(self):
        arguments = ("vote", MODEL, "hi", "--samples", "4", "-n", "8", "--extract", "none")
        stops = [sample["stop"] for sample in record(*arguments)["samples"]]
        self.assertIn("max_new", stops)
        self.assertIn(f"[4 samples, {stops.count('max_new')} of 4 cut at --max-new | ", run(NXS, *arguments)[1])
        self.assertNotIn("cut at", run(NXS, *arguments, "--context", "86")[1])

    def test_samples_that_were_not_needed(self):
        for word in map(str, range(100)):  # greedy samples agree; they need an answer
            arguments = ("vote", MODEL, word, "--samples", "4", "--temp", "0", "-n", "40", "--early", "--mode", "paged")
            done = subprocess.run([NXS, *arguments, "--json"], capture_output=True, timeout=120, check=False)
            if done.returncode == 0:
                break
        self.assertEqual(json.loads(done.stdout)["skipped"], 2)
        self.assertIn("[2 of 4 samples, 2 not needed, 2 of 2 cut at --max-new | ", run(NXS, *arguments)[1])


class Check(unittest.TestCase):
    def check(self, text, *arguments, expected=0):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records"
            file.write_text(text, encoding="utf-8")
            out, said = run(NXS, "check", MODEL, str(file), *arguments, expected=expected)
        return out.decode(), said.replace(folder + "/", "")

    def differing(self, changed):
        out = self.check(json.dumps(changed), expected=3)[0]
        return re.fullmatch(r"line 1: DIFFERS in (.*) 1:[0-9a-f]{32}\n", out).group(1).split(", ")

    def test_runs(self):
        run_of = record("run", MODEL, ECHO, "-n", "20", "--kv", "f32")
        out, said = self.check(json.dumps(run_of) + "\n\n" + json.dumps(run_of) + "\r\n", "--mode", "plain")
        self.assertEqual(re.findall("line (.) *: same", out), ["1", "3"])
        self.assertEqual(said, "2 of 2 records the same\n")
        for key, value in (("tokens", run_of["tokens"][:-1]), ("tokens", [7] + run_of["tokens"][1:]), ("text", "other"),
                           ("stop", "token"), ("receipt", "1:" + "0" * 32), ("text", None)):
            self.assertEqual(self.differing({**run_of, key: value}), [key])
        self.assertEqual(self.differing({**run_of, "text": "", "stop": "text"}), ["text", "stop"])
        without = {key: value for key, value in run_of.items() if key not in ("text", "stop")}
        self.assertIn("same", self.check(json.dumps(without))[0])

    def test_votes(self):
        vote = record("vote", MODEL, "hi", "-n", "30", "--samples", "6")
        self.assertIn("same", self.check(json.dumps(vote), "--vote-mode", "reset")[0])
        self.assertTrue(vote["answers"], "the samples give answers")
        for key, value in (("tokens", [1]), ("text", "42"), ("answer", "another"), ("stop", "text")):
            samples = [dict(sample) for sample in vote["samples"]]
            samples[2][key] = value
            self.assertEqual(self.differing({**vote, "samples": samples}), [f"samples[2].{key}"])
        for key, value in (("answer", "another"), ("tie", not vote["tie"]), ("samples", vote["samples"][1:])):
            self.assertEqual(self.differing({**vote, key: value}), [key])
        answers = [{**vote["answers"][0], "votes": 7}] + vote["answers"][1:]
        self.assertEqual(self.differing({**vote, "answers": answers}), ["answers[0].votes"])

    def test_the_record_has_the_type_of_keys_and_values(self):
        line = json.dumps(record("run", MODEL, "hi", "-n", "3"))
        self.assertIn("--kv", self.check(line, "--kv", "f32", expected=2)[1])

    def test_what_is_no_record(self):
        line = json.dumps(record("run", MODEL, "hi", "-n", "3"))
        for text, place in (("hello", 1), (f"{line}\n{line}\n[1]\n", 3), ("3\n" + line, 1), (line + "\n{", 2)):
            said = self.check(text, expected=1)[1]
            self.assertIn(f"records:{place}: not a JSON object (one record a line)\n", said)
        for text in ("{}", '{"schema": "nxs.bench/1"}'):
            self.assertIn("records:1: not a record of nxs run or nxs vote", self.check(text, expected=1)[1])
        self.assertIn("no records", self.check("\n", expected=1)[1])
        # In a file that several lines hold, one record is meant.
        self.assertIn("line 1: same", self.check(json.dumps(json.loads(line), indent=2))[0])

    def test_values_that_do_not_fit(self):
        cases = [("params.top_k", 2**32 + 40, "4294967336 is out of range"), ("params.repeat_last", -1, "out of range"),
                 ("params.flags", 2**32, "out of range"), ("params.seed", 2**63, "out of range"),
                 ("params.max_new", 1.5, "1.5 is no whole number"), ("params.temperature", 1e39, "out of range"),
                 ("params.top_p", "1", '"1" is no number'), ("params", [], "[] is no object"),
                 ("prompt_tokens", 5, "5 is no array"), ("stops", "x", '"x" is no array'), ("kv", 16, "16 is no text"),
                 ("vote_params.seed_stride", 1e30, "1e+30 is out of range"), ("vote_params.early", 1, "neither true")]
        cases += [("vote_params.n_samples", value, said) for value, said in (
            (2**32 + 5, "out of range"), (0, "out of range"), (5.7, "no whole number"), (True, "no whole number"))]
        good = record("vote", MODEL, "hi", "-n", "3", "--samples", "2", "--extract", "none")
        for path, value, why in cases:
            *outer, key = path.split(".")
            changed = json.loads(json.dumps(good))
            (changed[outer[0]] if outer else changed)[key] = value
            self.refused(changed, path, why)
        for key, value, why in (("prompt_tokens", 1.5, "no whole number"), ("prompt_tokens", 2**32 + 1, "out of range"),
                                ("prompt_tokens", 1e30, "out of range"), ("stops", "", "an empty text")):
            self.refused({**good, key: [value]}, f"{key}[0]", why)
        self.refused({key: value for key, value in good.items() if key != "stops"}, "stops", "missing")
        for schema in ("nxs.vote/2", 5, None):
            said = self.check(json.dumps({**good, "schema": schema}), expected=1)[1]
            self.assertIn(f"that this version knows: schema {json.dumps(schema)}\n", said)

    def refused(self, changed, place, why):
        said = self.check("\n\n" + json.dumps(changed), expected=1)[1]
        self.assertRegex(said, f"^nxs: records:3: {re.escape(place)}: .*{re.escape(why)}")

    def test_json_and_nothing_else(self):
        good = record("run", MODEL, "hi", "-n", "3")
        out, said = self.check(json.dumps(good) + "\n" + json.dumps({**good, "text": ""}), "--json", expected=3)
        verdicts = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([verdict["same"] for verdict in verdicts], [True, False])
        self.assertEqual([verdict["differing"] for verdict in verdicts], [[], ["text"]])
        self.assertEqual(said, "")


class Bench(unittest.TestCase):
    def interrupted(self, number, round_line, *arguments):
        command = [NXS, "bench", "--only", "prefill,vote", MODEL, "--keys", "32", "--samples", "3", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if line == round_line:
                    break
            process.send_signal(number)
            out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        return out

    def test_finished_rounds_are_kept(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            kept = json.loads(self.interrupted(number, "round 3 of 100000\n", "--rounds", "100000", "--json"))
            self.assertGreaterEqual(kept["rounds"], 2)
            self.assertIn("vote/3/batched", kept["measures"])
            for name, measure in kept["measures"].items():
                self.assertEqual(len(measure["rounds"]), kept["rounds"], name)
        self.assertRegex(self.interrupted(signal.SIGINT, "round 2 of 100000\n", "--rounds", "100000"),
                         r", \d+ of 100000 rounds\n")

    def test_no_round_was_finished(self):
        self.assertEqual(self.interrupted(signal.SIGINT, "round 1 of 9\n", "--rounds", "9", "-n", "100000",
                                          "--context", "0", "--samples", "64"), "")

    def test_progress(self):
        arguments = ("bench", MODEL, "prefill", "--keys", "32", "--rounds")
        out, said = run(NXS, *arguments, "2")
        self.assertEqual(said, "warming up\nround 1 of 2\nround 2 of 2\n")
        self.assertRegex(out.decode(), r", 2 rounds\n")
        self.assertRegex(run(NXS, *arguments, "1")[0].decode(), r", 1 round\n")
        self.assertIn(b"\x1b[Kround 2 of 2: prefill", run_on_terminal(NXS, *arguments, "2"))


unittest.main(argv=sys.argv[:1])
