class Planner:
    def __init__(self):
        self._anchor = None
        self._anchor_chunk = None
        self._chunk = 0

    def cut(self):
        self._anchor = None

    def keep(self, chunk, frames):
        self._anchor = frames
        self._anchor_chunk = chunk

    def build(self, recompute, latents):
        tensors = {"latents": latents}
        tensors["context"] = self._context() if recompute else None
        return tensors

    def _context(self):
        return self._anchor  # error: [stale-override]
