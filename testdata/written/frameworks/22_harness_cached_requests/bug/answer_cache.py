"""Append-only answer cache, one file per worker."""
import hashlib
import json
from pathlib import Path


class AnswerCache:
    def __init__(self, folder, worker):
        self.path = Path(folder) / f"answers.{worker}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._known = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                self._known[row["key"]] = row["value"]

    @staticmethod
    def key(request):
        blob = "\x00".join((request.task, request.context, request.continuation))
        return hashlib.sha1(blob.encode()).hexdigest()

    def __contains__(self, request):
        return self.key(request) in self._known

    def get(self, request):
        return self._known[self.key(request)]

    def put(self, request, value):
        key = self.key(request)
        self._known[key] = value
        with self.path.open("a") as f:
            f.write(json.dumps({"key": key, "value": value}) + "\n")
