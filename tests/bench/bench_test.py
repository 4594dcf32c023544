# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Usage: bench_test.py NXS MODEL. `nxs bench` on a tiny model: every group gives its measures, all positive, one a
round, and the table names them too. Never a time limit: how fast a machine is is no matter of right and wrong."""
import json
import subprocess
import sys

ROUNDS = 2
ARGUMENTS = ["--rounds", str(ROUNDS), "--keys", "32,64", "--sequences", "2,3", "--samples", "3", "-n", "4", "-t", "2"]
KEYS = {"schema", "model", "model_digest", "version", "threads", "isa", "kv", "rounds", "max_new", "step_bytes",
        "kv_bytes_per_token", "measures"}
RATES = {"load", "bandwidth/read", "spec/plain", "spec/spec", "spec/ratio", "spec/tokens", "spec/rows", "batch/1"}
RATES |= {f"decode/{k}{what}" for k in (32, 64) for what in ("", "/read", "/read/ratio")}
RATES |= {f"prefill/{k}" for k in (32, 64)}
RATES |= {f"rows/{k}/{rows}" for k in (32, 64) for rows in range(1, 17)}
RATES |= {f"rows/{k}/{rows}/ratio" for k in (32, 64) for rows in range(2, 17)}
RATES |= {f"batch/{n}{what}" for n in (2, 3) for what in ("", "/ratio")}
RATES |= {f"vote/3/{mode}" for mode in ("reset", "paged", "paged/ratio", "batched", "batched/ratio")}


def bench(nxs, model, *arguments):
    return subprocess.run([nxs, "bench", model, *arguments], capture_output=True, text=True, timeout=300)


def check_measures(measures, names):
    assert set(measures) == names, set(measures) ^ names
    for name, m in measures.items():
        assert len(m["rounds"]) == ROUNDS and m["unit"], name
        assert m["least"] == min(m["rounds"]) <= m["median"] <= m["most"] == max(m["rounds"]), name
        assert m["least"] > 0 or name == "spec/accepted", name


def main():
    nxs, model = sys.argv[1:]
    done = bench(nxs, model, *ARGUMENTS, "--json")
    assert done.returncode == 0, done
    assert done.stdout.count("\n") == 1, "one object on one line"
    record = json.loads(done.stdout)
    assert record["schema"] == "nxs.bench/1" and KEYS <= set(record), record
    assert record["threads"] == 2 and record["rounds"] == ROUNDS and record["step_bytes"] > 0
    check_measures(record["measures"], RATES | {"spec/accepted"})

    chosen = bench(nxs, model, "decode", "--only", "prefill", *ARGUMENTS, "--json", "--kv", "f32")
    names = {name for name in RATES if name.startswith(("decode", "prefill", "bandwidth"))}
    check_measures(json.loads(chosen.stdout)["measures"], names)

    table = bench(nxs, model, "prefill,batch", *ARGUMENTS)
    shown = [line.split()[0] for line in table.stdout.splitlines()[2:]]
    assert set(shown) == {name for name in RATES if name.startswith(("prefill", "batch"))}, table.stdout

    for wrong in (["nothing"], ["--rounds", "0"], ["--keys", "0"], ["--samples", "none"]):
        assert bench(nxs, model, *wrong).returncode == 2, wrong


main()
