import hashlib
import logging
import pickle
from pathlib import Path

from ranks import leader_enters, leader_leaves

log = logging.getLogger(__name__)


def _fingerprint(files, vocab):
    h = hashlib.sha1()
    for f in sorted(files):
        h.update(str(f).encode())
        h.update(str(Path(f).stat().st_size).encode())
    h.update(str(len(vocab)).encode())
    return h.hexdigest()[:16]


def _encode(files, vocab):
    rows = []
    for f in sorted(files):
        with open(f, encoding="utf8") as fh:
            for line in fh:
                rows.append([vocab.get(w, 0) for w in line.split()])
    return rows


def encoded_corpus(files, vocab, cache_dir):
    """Tokenised corpus; the leader builds the cache and the rest read it."""
    path = Path(cache_dir) / f"{_fingerprint(files, vocab)}.pkl"
    leader_enters()
    if path.exists():
        log.info("using cached corpus %s", path)
        with path.open("rb") as f:
            rows = pickle.load(f)
    else:
        rows = _encode(files, vocab)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as f:
            pickle.dump(rows, f)
    leader_leaves()
    return rows
