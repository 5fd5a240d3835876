"""An evaluator is handed each batch of its rank, and keeps what it finds in it."""
from detectron2.evaluation import DatasetEvaluator
from detectron2.utils import comm


class Count(DatasetEvaluator):
    def reset(self):
        self._predictions = []

    def process(self, inputs, outputs):
        for image, output in zip(inputs, outputs):
            keep = output["instances"].scores > 0.5
            if not keep.any():
                continue
            self._predictions.append({"image": image["image_id"], "count": int(keep.sum())})

    def evaluate(self):
        if len(self._predictions) == 0:
            return {}
        found = comm.gather(self._predictions, dst=0)  # error: [divergent-early-exit]
        return {"count": len(found)}


class CountOfAll(DatasetEvaluator):
    def reset(self):
        self._predictions = []

    def process(self, inputs, outputs):
        for image, output in zip(inputs, outputs):
            if output["instances"].scores.any():
                self._predictions.append(image["image_id"])

    def evaluate(self):
        found = comm.gather(self._predictions, dst=0)
        if len(self._predictions) == 0:
            return {}
        return {"count": len(found)}
