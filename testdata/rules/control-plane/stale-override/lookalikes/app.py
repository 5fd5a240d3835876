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
        if self._anchor is None or self._anchor_chunk != self._chunk - 1:
            raise ValueError("the context is not the chunk before")
        return self._anchor

    def build_once(self, recompute, latents):
        tensors = {"latents": latents}
        tensors["context"] = self._take() if recompute else None
        return tensors

    def _take(self):
        anchor = self._anchor
        self._anchor = None
        return anchor
