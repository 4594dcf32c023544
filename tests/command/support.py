# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the command, with pipes and on a terminal."""
import os
import pty
import subprocess


def run(*command, expected=0, given=b"", **settings):
    """(stdout, stderr) of a program that ends with this status."""
    done = subprocess.run(command, capture_output=True, input=given, timeout=120, **settings)
    assert done.returncode == expected, done
    return done.stdout, done.stderr.decode()


def run_full(*command):
    """(status, stderr) of a program whose standard output has no room."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120)
    return done.returncode, done.stderr.decode()


def run_on_terminal(*command, stdin=False, **variables):
    """What a terminal shows of standard output and standard error; with `stdin`, Ctrl-D is typed there at once."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment.update({"TERM": "xterm", **variables})
    with subprocess.Popen(command, stdin=theirs if stdin else subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                          env=environment) as process:
        os.close(theirs)
        if stdin:
            os.write(ours, b"typed\n\x04")
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # every writer has gone
            pass
        status = process.wait(timeout=120)
    os.close(ours)
    assert status in (0, 4), (status, shown)
    return shown
