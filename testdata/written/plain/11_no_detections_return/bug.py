import contextlib
import io
import itertools
import logging

import torch
import torch.distributed as dist
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

logger = logging.getLogger(__name__)


def to_xywh(boxes):
    x1, y1, x2, y2 = boxes.unbind(1)
    return torch.stack([x1, y1, x2 - x1, y2 - y1], dim=1)


class CocoBoxEvaluator:
    def __init__(self, ann_file, score_thresh=0.05, max_dets=100):
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(ann_file)
        self.score_thresh = score_thresh
        self.max_dets = max_dets
        self.results = []

    def reset(self):
        self.results.clear()

    def process(self, image_ids, outputs):
        for img_id, out in zip(image_ids, outputs):
            keep = out["scores"] > self.score_thresh
            scores = out["scores"][keep][: self.max_dets].tolist()
            labels = out["labels"][keep][: self.max_dets].tolist()
            boxes = to_xywh(out["boxes"][keep][: self.max_dets]).tolist()
            for b, s, c in zip(boxes, scores, labels):
                self.results.append({"image_id": img_id, "bbox": b, "score": s, "category_id": c})

    def evaluate(self):
        if len(self.results) == 0:  # BUG
            logger.warning("no detections above %.2f", self.score_thresh)
            return {"AP": 0.0, "AP50": 0.0}

        gathered = [None] * dist.get_world_size()
        dist.all_gather_object(gathered, self.results)  # BUG
        merged = list(itertools.chain.from_iterable(gathered))

        ev = COCOeval(self.coco, self.coco.loadRes(merged), "bbox")
        ev.evaluate()
        ev.accumulate()
        with contextlib.redirect_stdout(io.StringIO()):
            ev.summarize()
        return {"AP": float(ev.stats[0]), "AP50": float(ev.stats[1])}


@torch.inference_mode()
def run_evaluation(detector, loader, evaluator, device):
    detector.eval()
    evaluator.reset()
    for images, targets in loader:
        outputs = detector([im.to(device) for im in images])
        outputs = [{k: v.cpu() for k, v in o.items()} for o in outputs]
        evaluator.process([t["image_id"] for t in targets], outputs)
    metrics = evaluator.evaluate()
    if dist.get_rank() == 0:
        logger.info("  ".join(f"{k} {v:.3f}" for k, v in metrics.items()))
    return metrics
