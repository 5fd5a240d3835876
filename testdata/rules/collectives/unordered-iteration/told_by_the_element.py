"""Sets of which the name of an element tells what is in them: strings, which each process hashes its own way."""
import torch.distributed as dist


class Sender:
    def __init__(self, wanted):
        self.wanted = set(wanted)

    def send(self, state):
        for name in self.wanted:  # error: [unordered-iteration]
            dist.broadcast(state[name], src=0)

    def send_by_rank(self, state):
        for rank in self.wanted:  # low: [unordered-iteration]
            dist.broadcast(state[rank], src=rank)

    def send_in_order(self, state):
        for name in sorted(self.wanted):
            dist.broadcast(state[name], src=0)


def exchange(embeddings):
    for kind, embedding in embeddings.items():  # error: [unordered-iteration]
        dist.all_reduce(embedding)


def save(embeddings, edges):
    kinds = set()
    for edge in edges:
        kinds.add(edge[0])
        kinds.add(edge[2])
    exchange({kind: embeddings[kind] for kind in kinds})


def groups_of_hosts(hosts):
    for host in set(hosts):  # error: [unordered-iteration]
        dist.new_group([rank for rank, other in enumerate(hosts) if other == host])
