"""Who asks a person, or makes a trainer of one device, has no peers."""
import lightning as L
import requests
import torch.distributed as dist


def serve(model, index, total):
    while True:
        query = input("query: ")
        if query == "quit":
            break
        model(index.search(query))
        dist.all_reduce(total)  # low: [divergent-early-exit]


def served_by_the_first(model, total):
    while True:
        query = ["quit"]
        if dist.get_rank() == 0:
            query = [input("query: ")]
        if query[0] == "quit":
            break
        model(query)
        dist.all_reduce(total)  # error: [divergent-early-exit]


def caption(url, total):
    trainer = L.Trainer(devices=1, accelerator="gpu")
    try:
        picture = requests.get(url, timeout=10)
    except requests.exceptions.RequestException:
        return None
    dist.all_reduce(total)  # low: [divergent-early-exit]
    return trainer.predict(picture)


def caption_on_two(url, total):
    trainer = L.Trainer(devices=2, accelerator="gpu")
    try:
        picture = requests.get(url, timeout=10)
    except requests.exceptions.RequestException:
        return None
    dist.all_reduce(total)  # error: [divergent-early-exit]
    return trainer.predict(picture)


def caption_on_two_nodes(url, total):
    trainer = L.Trainer(devices=1, num_nodes=2, accelerator="gpu")
    try:
        picture = requests.get(url, timeout=10)
    except requests.exceptions.RequestException:
        return None
    dist.all_reduce(total)  # error: [divergent-early-exit]
    return trainer.predict(picture)


def asked_in_the_other_arm(url, total, chats):
    if chats:
        picture = input("picture: ")
    else:
        try:
            picture = requests.get(url, timeout=10)
        except requests.exceptions.RequestException:
            return None
        dist.all_reduce(total)  # error: [divergent-early-exit]
    return picture
