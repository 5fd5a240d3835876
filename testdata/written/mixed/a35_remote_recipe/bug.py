"""Fetch the training recipe on the first rank and share it."""
import logging
from typing import Any, Dict, Optional

import requests
import torch.distributed as dist
import yaml

logger = logging.getLogger(__name__)

DEFAULT_RECIPE = {"lr": 3e-4, "warmup": 2000, "mixture": {"web": 0.8, "code": 0.2}}


class RecipeClient:
    def __init__(self, base_url: str, timeout: float = 10.0):
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout

    def _download(self, name: str) -> Dict[str, Any]:
        response = requests.get(f"{self.base_url}/{name}.yaml", timeout=self.timeout)
        response.raise_for_status()
        return yaml.safe_load(response.text)

    def recipe(self, name: str) -> Dict[str, Any]:
        box = [None]
        if dist.get_rank() == 0:
            try:
                box[0] = self._download(name)
            except (requests.RequestException, yaml.YAMLError) as exc:
                logger.warning("recipe %s not available (%s), using the default", name, exc)
                return dict(DEFAULT_RECIPE)  # BUG 1
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def mixture(self, name: str) -> Optional[Dict[str, float]]:
        box = [None, None]
        if dist.get_rank() == 0:
            try:
                box[0] = self._download(name)["mixture"]
            except (requests.RequestException, yaml.YAMLError, KeyError) as exc:
                box[1] = repr(exc)
        dist.broadcast_object_list(box, src=0)
        if box[1] is not None:
            logger.warning("mixture %s not available: %s", name, box[1])
            return None
        return box[0]


def configure(cfg) -> Dict[str, Any]:
    client = RecipeClient(cfg.recipe_url)
    recipe = client.recipe(cfg.recipe)
    if cfg.override_mixture:
        recipe["mixture"] = client.mixture(cfg.override_mixture) or recipe["mixture"]
    return recipe
