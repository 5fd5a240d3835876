"""What is handed over may be of any class of a family, of which one alone communicates (P13)."""

import torch.distributed as dist


class Provider:
    def build(self, context):
        raise NotImplementedError


class FromText(Provider):
    def build(self, context):
        return context.text


class FromImages(Provider):
    def build(self, context):
        return context.images


class FromSpeech(Provider):
    def build(self, context):
        return context.speech


class FromVideo(Provider):
    def build(self, context):
        return context.video


class FromNothing(Provider):
    def build(self, context):
        return None


class FromTheHub(Provider):
    def build(self, context):
        dist.barrier()
        return context.hub


def loaders(provider: Provider, context):
    if dist.get_rank() % 2 == 0:
        return None
    return provider.build(context)  # low: [divergent-early-exit]


def loader_of_the_hub(context):
    if dist.get_rank() % 2 == 0:
        return None
    return FromTheHub().build(context)  # error: [divergent-early-exit]
