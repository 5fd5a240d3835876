from dataclasses import dataclass


@dataclass
class Call:
    call_id: int
    cache_epoch: int
    do_recompute: bool
    tensors: dict


def generate(call: Call, model):
    if call.do_recompute:
        context = call.tensors.get("context")  # error: [missing-override-fallback]
        if context is None:
            context = model.encode(call.tensors["latents"])
        model.recompute(context)


def generate_shorter(call: Call, model):
    if call.do_recompute:
        model.recompute(call.tensors.get("context") or model.anchor)  # error: [missing-override-fallback]
