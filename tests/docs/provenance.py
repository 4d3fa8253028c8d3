# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Whether `scripts/docs-tables --check` finds results that do not describe the tree: provenance.py DOCS_TABLES. It asks the
script's check about results of a repository of its own, whose kernels change from commit to commit."""
import copy
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

loader = importlib.machinery.SourceFileLoader("docs_tables", sys.argv[1])
spec = importlib.util.spec_from_loader("docs_tables", loader)
tables = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
loader.exec_module(tables)


def git(root, *arguments):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, "-C", root, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def commit(root, text):
    kernel = root / "cuda_native/01_naive.cu"
    kernel.parent.mkdir(exist_ok=True)
    kernel.write_text(text, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    return git(root, "rev-parse", "--short", "HEAD")


def expect(problem, run, root):
    found = tables.problem_of(run, root)
    assert (problem in found) if problem else found == "", f"expected {problem!r}, found {found!r}"


with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    git(root, "init", "-q")
    before = commit(root, "int kernel() { return 1; }\n")
    measured = commit(root, "int kernel() { return 2; }\n")
    run = {"host": {"commit": measured, "date": "2026-11-28T00:00:00Z"},
           "results": [{"path": "native", "backend": "cuda", "status": "ok", "seconds": {"samples": [1.0]}}]}

    def other(**host):
        made = copy.deepcopy(run)
        made["host"].update(host)
        return made

    expect("", run, root)
    expect("no commit to name", other(commit=f"{measured}-dirty"), root)
    expect("no commit to name", other(commit="unknown"), root)
    expect("is not an ancestor", other(commit="0123abc"), root)
    expect("older than cuda_native/01_naive.cu", other(commit=before), root)
    expect("did not end", {**run, "complete": False}, root)
    empty = copy.deepcopy(run)
    empty["results"][0]["seconds"]["samples"] = []
    expect("no samples", empty, root)

    # Changes of comments and white space keep the kernel's identity. A commit on a side branch is not an ancestor.
    commit(root, "// Returns two.\nint kernel() {\n  return 2;  /* \"2\" */\n}\n")
    expect("", run, root)
    # Message texts do not change a kernel; instructions in a string do.
    named = commit(root, 'int kernel() { throw Error("one"); asm("add;" : "=r"(x)); return 2; }\n')
    run["host"]["commit"] = named
    commit(root, 'int kernel() { throw Error("two; three"); asm("add;" : "=r"(x)); return 2; }\n')
    expect("", run, root)
    commit(root, 'int kernel() { throw Error("one"); asm("sub;" : "=r"(x)); return 2; }\n')
    expect("older than", run, root)
    commit(root, 'int kernel() { throw Error("one"); asm("add;" : "=r"(x)); return 2; }\n')
    git(root, "checkout", "-qb", "side")
    side = commit(root, "int kernel() { return 3; }\n")
    expect("older than", run, root)
    git(root, "checkout", "-q", "-")
    expect("is not an ancestor", other(commit=side), root)
    (root / "cuda_native/01_naive.cu").write_text("int kernel() { return 4; }\n", encoding="utf-8")  # not committed
    expect("older than", run, root)
print("11 problems and 3 good files were told apart")
