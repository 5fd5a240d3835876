from dataclasses import dataclass


@dataclass
class Call:
    call_id: int
    cache_epoch: int
    do_recompute: bool
    tensors: dict


def generate(call: Call, model):
    if call.do_recompute:
        model.recompute(call.tensors["context"])


def refuse(call: Call):
    if call.do_recompute and call.tensors.get("context") is None:
        raise ValueError("override required")


def describe(call: Call):
    return call.tensors.get("comment", "none")


def configured(settings):
    return settings.get("context") or "default"
