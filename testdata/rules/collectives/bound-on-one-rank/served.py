"""A server: the first rank answers, the others follow what it broadcasts."""
import torch
import torch.distributed as dist
from flask import Flask, request

app = Flask(__name__)


def generate(model, prompts):
    length = torch.tensor([len(prompts)])
    dist.broadcast(length, 0)
    outputs = model(prompts)
    if dist.get_rank() == 0:
        return outputs, length
    return None


@app.route("/api", methods=["PUT"])
def put():
    outputs, length = generate(app.model, request.get_json()["prompts"])
    return {"text": outputs, "length": int(length)}


@app.route("/completions", methods=["POST"])
def post():
    answer = answered(app.model, request.get_json()["prompts"])
    return [answer["text"], answer["tokens"]]


def answered(model, prompts):
    outputs = model(prompts)
    dist.all_reduce(outputs)
    if dist.get_rank() == 0:
        answer = {"text": outputs, "tokens": len(prompts)}
        return answer
    return None


def begin(model):
    if dist.get_rank() == 0:
        limits = {"length": 128}
    dist.broadcast(model.weight, 0)
    return limits["length"]  # error: [bound-on-one-rank]
