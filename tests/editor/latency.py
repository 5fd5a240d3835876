"""How long an edit takes to become diagnostics, as an editor sees it.

    python tests/editor/latency.py RANKLINT FOLDER FILE... [--edits N] [--callee FILE::TEXT::REPLACEMENT --caller FILE]

Opens FILE of FOLDER (one workspace folder), types N letters in a function at its end, asks for its diagnostics after
each, and prints the distribution of the time from the edit to the answer. With --callee, TEXT is replaced in that file,
there and back, and the time is taken until the diagnostics of --caller, which is open beside it, are others.
"""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable


class Client:
    """A language client that takes the time of what it receives."""

    def __init__(self, program: str, folder: Path, capabilities: dict[str, Any]) -> None:
        self.process = subprocess.Popen([program, "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.received: queue.Queue[dict[str, Any]] = queue.Queue()
        self.next = 0
        threading.Thread(target=self._read, daemon=True).start()
        root = {"uri": folder.as_uri(), "name": folder.name}
        self.ask("initialize", {"processId": None, "capabilities": capabilities, "workspaceFolders": [root]})
        self.tell("initialized", {})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
            if size == 0:
                return
            self.received.put({"at": time.perf_counter(), **json.loads(stream.read(size))})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> int:
        """Sends a request; its number."""
        self.next += 1
        self._send({"id": self.next, "method": method, "params": params})
        return self.next

    def until(self, fits: Callable[[dict[str, Any]], bool], seconds: float = 300.0) -> dict[str, Any]:
        """The next message that fits; the others are passed over."""
        deadline = time.perf_counter() + seconds
        while True:
            message = self.received.get(timeout=max(0.01, deadline - time.perf_counter()))
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            if fits(message):
                return message

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """Sends a request and waits for the answer."""
        number = self.request(method, params)
        return self.until(lambda message: message.get("id") == number and "method" not in message)

    def open(self, path: Path) -> str:
        """Opens a file; its text."""
        text = path.read_text(encoding="utf-8")
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return text

    def close(self) -> None:
        """Ends the session."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(timeout=60)


def show(name: str, seconds: list[float]) -> None:
    """Prints a distribution, in milliseconds."""
    sorted_ms = sorted(1000 * value for value in seconds)
    at = lambda share: sorted_ms[min(len(sorted_ms) - 1, int(share * len(sorted_ms)))]  # noqa: E731
    print(
        f"{name}: n={len(sorted_ms)} min={sorted_ms[0]:.1f} median={statistics.median(sorted_ms):.1f} "
        f"p90={at(0.9):.1f} p99={at(0.99):.1f} max={sorted_ms[-1]:.1f} ms"
    )


def keystrokes(program: str, folder: Path, file: Path, edits: int, pause: float) -> None:
    """Types letters and takes the time to the answer of a pull."""
    started = time.perf_counter()
    client = Client(program, folder, {"textDocument": {"diagnostic": {}}})
    text = client.open(file)
    document = {"uri": file.as_uri()}
    first = client.ask("textDocument/diagnostic", {"textDocument": document})
    print(
        f"first diagnostics after {time.perf_counter() - started:.1f} s: {len(first['result']['items'])} in {file.name}"
    )
    end = {"line": text.count("\n") + 1, "character": 0}
    client.tell(
        "textDocument/didChange",
        {
            "textDocument": {**document, "version": 2},
            "contentChanges": [{"range": {"start": end, "end": end}, "text": "\n\ndef typed():\n    return value\n"}],
        },
    )
    client.ask("textDocument/diagnostic", {"textDocument": document})
    # Behind `return value`: two line ends and the definition stand before it.
    line = text.count("\n") + 3
    times = []
    counts = set()
    for number in range(edits):
        place = {"line": line, "character": 16 + number}
        change = {"range": {"start": place, "end": place}, "text": "x"}
        before = time.perf_counter()
        client.tell(
            "textDocument/didChange",
            {"textDocument": {**document, "version": 3 + number}, "contentChanges": [change]},
        )
        answer = client.ask("textDocument/diagnostic", {"textDocument": document})
        times.append(answer["at"] - before)
        counts.add(len(answer["result"]["items"]))
        time.sleep(pause)
    show(f"keystroke in {file.name} ({text.count(chr(10))} lines), pause {pause * 1000:.0f} ms", times)
    print(f"  findings in the file: {sorted(counts)}")
    client.close()


def helper(program: str, folder: Path, callee: str, caller: Path, rounds: int, pause: float) -> None:
    """Changes a helper there and back, and takes the time until its caller's findings are others."""
    name, text, replacement = callee.split("::")
    path = folder / name
    client = Client(program, folder, {})
    original = client.open(path)
    assert text in original, f"{text!r} is not in {path}"
    client.open(caller)

    def told(fits: Callable[[list[Any]], bool], method: str = "textDocument/publishDiagnostics") -> dict[str, Any]:
        return client.until(
            lambda message: (
                message.get("method") == method
                and message["params"]["uri"] == caller.as_uri()
                and fits(message["params"]["diagnostics"])
            ),
        )

    seen = len(told(lambda _: True)["params"]["diagnostics"])
    times = []
    version = 1
    for content in [original.replace(text, replacement), original] * rounds:
        time.sleep(pause)
        version += 1
        before = time.perf_counter()
        client.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": path.as_uri(), "version": version}, "contentChanges": [{"text": content}]},
        )
        message = told(lambda items, seen=seen: len(items) != seen)
        seen = len(message["params"]["diagnostics"])
        times.append(message["at"] - before)
    show(f"change of {name}, seen in {caller.name}", times)
    client.close()


def main() -> None:
    """Reads the arguments and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--pause", type=float, default=0.15, help="seconds between letters")
    parser.add_argument("--callee", help="FILE::TEXT::REPLACEMENT, the file relative to the folder")
    parser.add_argument("--caller", type=Path)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    for file in arguments.file:
        keystrokes(arguments.program, folder, folder / file, arguments.edits, arguments.pause)
    if arguments.callee:
        helper(arguments.program, folder, arguments.callee, folder / arguments.caller, 5, arguments.pause)


if __name__ == "__main__":
    sys.exit(main())
