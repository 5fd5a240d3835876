"""The first and the last stage share an embedding: what the last one alone decides the first one waits for."""
import torch.distributed as dist
from megatron.core import parallel_state as mpu


def copy_to_first(tensor):
    if mpu.is_pipeline_first_stage() or mpu.is_pipeline_last_stage():
        dist.broadcast(tensor, mpu.get_pipeline_model_parallel_last_rank(), group=mpu.get_embedding_group())


def search(model, tokens, scores, hypotheses):
    for position in range(tokens.size(1)):
        logits = model(tokens[:, :position])
        if mpu.is_pipeline_last_stage():
            scores = scores + logits
            if hypotheses.is_done(scores.max().item(), position):
                break
        copy_to_first(tokens)  # error: [divergent-early-exit]
    return tokens


def search_together(model, tokens, scores, hypotheses):
    for position in range(tokens.size(1)):
        done = tokens.new_zeros(1)
        logits = model(tokens[:, :position])
        if mpu.is_pipeline_last_stage():
            scores = scores + logits
            done.fill_(hypotheses.is_done(scores.max().item(), position))
        copy_to_first(tokens)
        dist.broadcast(done, mpu.get_pipeline_model_parallel_last_rank(), group=mpu.get_pipeline_model_parallel_group())
        if done.item():
            break
    return tokens


def tied(gradient):
    if mpu.is_rank_in_embedding_group():
        dist.all_reduce(gradient, group=mpu.get_embedding_group())


def tied_on_the_first(gradient):
    if mpu.is_pipeline_first_stage():
        dist.all_reduce(gradient, group=mpu.get_embedding_group())  # error: [conditional-collective]
