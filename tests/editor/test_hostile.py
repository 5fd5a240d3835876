"""The server with a client that means no good: hundreds of messages by chance, well-formed and not.

RANKLINT=target/debug/ranklint .venv/bin/python -m pytest tests/editor/test_hostile.py

Whatever came before, a file that is opened at the end has its finding, and every request has its answer.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

PROGRAM = os.environ.get("RANKLINT", "")
if not PROGRAM:
    pytest.skip("RANKLINT does not name the program", allow_module_level=True)

JOB = "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n"
TEXTS = [JOB, "", "\r", "𝄞ß\n" * 5, JOB.replace("\n", "\r\n"), "def f(:\n", "x=" + "(" * 3000, "\0\ufeff"]
TEXTS += ["# ranklint: ignore[", "# ranklint: ignore[ß]\nx = 1", "if " * 200]
NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 50, 2**31 - 1, 2**32 - 1, 2**33, -1, 1.5]
JUNK = [None, 3, "x", [], {}, {"textDocument": None}]
NONSENSE = [b"Content-Length: 3\r\n\r\n{a}", b"Content-Length: -3\r\n\r\n", b"no header\r\n\r\n", b"\r\n"]
NONSENSE += [b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 2000\r\n\r\n" + b"[" * 2000]
METHODS = ["textDocument/hover", "textDocument/didOpen", "initialize", "x/y", "workspace/didChangeConfiguration"]
METHODS += ["$/cancelRequest", "workspace/didChangeWorkspaceFolders", "notebookDocument/didClose"]


class Client:
    """Speaks and listens; keeps the answers by the number of their request."""

    def __init__(self, folder: Path) -> None:
        """Starts the server in a folder."""
        env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        command = [str(Path(PROGRAM).resolve()), "server"]
        self.child = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers: dict[int, Any] = {}
        self.asked = 0
        self.news = threading.Condition()
        self.writing = threading.Lock()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Reads messages until the server is silent for good."""
        size = 0
        while line := self.child.stdout.readline():
            if line.startswith(b"Content-Length"):
                size = int(line.split(b":")[1])
            elif line == b"\r\n":
                message = json.loads(self.child.stdout.read(size))
                if "method" not in message:
                    with self.news:
                        self.answers[message["id"]] = message
                        self.news.notify_all()
                elif "id" in message:
                    self.send({"id": message["id"], "result": [None]})

    def raw(self, data: bytes) -> None:
        """Sends bytes as they are."""
        with self.writing:
            self.child.stdin.write(data)
            self.child.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def tell(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Sends a request; its number."""
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        return self.asked

    def answer(self, number: int) -> Any:
        """Waits for an answer."""
        with self.news:
            assert self.news.wait_for(lambda: number in self.answers, timeout=60), f"no answer to {number}"
        return self.answers[number]


def one(client: Client, dice: random.Random, uris: list[str]) -> None:
    """Says something by chance."""
    document = {"textDocument": {"uri": dice.choice(uris)}}
    text, version = dice.choice(TEXTS), dice.randrange(9)

    def position() -> dict[str, Any]:
        return {"line": dice.choice(NUMBERS), "character": dice.choice(NUMBERS)}

    span = {"start": position(), "end": position()}
    change = {"range": span, "text": text} if dice.random() < 0.8 else {"text": text}
    cell = {"kind": dice.randrange(1, 3), "document": f"cell:{dice.randrange(4)}"}
    item = {"languageId": dice.choice(["python", "shellscript", "x"]), "version": version, "text": text}
    notebook = {"uri": uris[-1], "notebookType": "jupyter-notebook", "version": version}
    array = {"start": dice.choice([0, 1, 99]), "deleteCount": dice.choice([0, 1, 2**32 - 1]), "cells": [cell]}
    cells = {"structure": {"array": array}, "textContent": [{"document": {"uri": "cell:1", "version": 1}}]}
    cells["textContent"][0]["changes"] = [change]
    only = dice.choice([["source"], ["quickfix"], [""]])
    opened = {**notebook, "cells": [cell]}
    open_cell = [{"uri": cell["document"], **item}]
    told = [
        ("textDocument/didOpen", {"textDocument": {**document["textDocument"], **item}}),
        ("textDocument/didChange", {**document, "contentChanges": [change, change]}),
        ("textDocument/didClose", document),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": dice.choice(uris), "type": dice.randrange(1, 4)}]}),
        (
            "notebookDocument/didOpen",
            {"notebookDocument": opened, "cellTextDocuments": open_cell},
        ),
        ("notebookDocument/didChange", {"notebookDocument": notebook, "change": {"cells": cells}}),
        ("$/cancelRequest", {"id": dice.choice([client.asked, "x", None])}),
        ("workspace/didChangeConfiguration", {"settings": {"ranklint": {"codeLens": True}}}),
        (dice.choice(METHODS), dice.choice(JUNK)),
    ]
    asked = [
        ("textDocument/diagnostic", document),
        ("textDocument/hover", {**document, "position": position()}),
        ("textDocument/codeAction", {**document, "range": span, "context": {"diagnostics": [], "only": only}}),
        ("textDocument/codeLens", document),
        ("workspace/executeCommand", {"command": "ranklint.openPage", "arguments": [dice.choice(["../../x", 3])]}),
        (dice.choice(METHODS), dice.choice(JUNK)),
    ]
    told[1][1]["textDocument"] = {**document["textDocument"], "version": version}
    draw = dice.random()
    if draw < 0.05:
        client.raw(dice.choice(NONSENSE))
    elif draw < 0.65:
        client.tell(*dice.choice(told))
    else:
        client.ask(*dice.choice(asked))


@pytest.mark.parametrize("seed", range(6))
def test_a_session_survives_whatever_is_said(tmp_path: Path, seed: int) -> None:
    """Throws dice for each message; the seed says which."""
    dice = random.Random(seed)
    for name in ("job.py", "other.py"):
        (tmp_path / name).write_text(JOB)
    (tmp_path / "run.sh").write_text("mktemp\n")
    uris = [(tmp_path / name).as_uri() for name in ("job.py", "other.py", "run.sh", "none.py")]
    uris += ["untitled:1", "file:///a%00b.py", "file://", "file:///", "cell:1", "file:///%ff.py", tmp_path.as_uri()]
    uris.append((tmp_path / "n.ipynb").as_uri())
    client = Client(tmp_path)
    try:
        capabilities = {"textDocument": {"diagnostic": {}} if seed % 2 else {}, "window": {"workDoneProgress": True}}
        folders = [{"uri": tmp_path.as_uri(), "name": "job"}]
        client.ask("initialize", {"capabilities": capabilities, "workspaceFolders": folders})
        client.tell("initialized", {})
        for _ in range(300):
            one(client, dice, uris)
        item = {"uri": uris[0], "languageId": "python", "version": 1000, "text": JOB}
        client.tell("textDocument/didOpen", {"textDocument": item})
        last = client.answer(client.ask("textDocument/diagnostic", {"textDocument": {"uri": uris[0]}}))
        assert [found["code"] for found in last["result"]["items"]] == ["conditional-collective"]
        for number in range(1, client.asked + 1):
            client.answer(number)
        client.answer(client.ask("shutdown", None))
        client.tell("exit", None)
        assert client.child.wait(60) == 0
    finally:
        client.child.kill()
        client.child.wait()
