"""An object that a setting asks for: who calls its methods has it."""
import torch.distributed as dist


class Sampler:
    def __init__(self, client):
        self.client = client

    def draw(self, prompts, pictures):
        everything = [None] * dist.get_world_size()
        dist.all_gather_object(everything, prompts)
        if pictures is not None:
            seen = [None] * dist.get_world_size()
            dist.all_gather_object(seen, pictures)
        return everything

    def draw_in_step(self, prompts, pictures):
        everything = [None] * dist.get_world_size()
        dist.all_gather_object(everything, prompts)
        seen = [None] * dist.get_world_size()
        dist.all_gather_object(seen, pictures)
        return everything


class Learner:
    def __init__(self, settings, client):
        if settings.remote:
            self.sampler = Sampler(client)

    def pictures_of(self, batch):
        found = False
        pictures = []
        for example in batch:
            mine = [part for part in example["parts"] if part["kind"] == "picture"]
            if mine:
                found = True
            pictures.append(mine)
        return pictures if found else None

    def training_step(self, batch):
        pictures = self.pictures_of(batch)
        return self.sampler.draw([example["text"] for example in batch], pictures)  # low: [conditional-collective]

    def validation_step(self, batch):
        pictures = self.pictures_of(batch)
        return self.sampler.draw_in_step([example["text"] for example in batch], pictures)


class Losses:
    """Whether there is a second loss says a setting; what it is says the batch."""

    def step(self, batch):
        second_loss = None if not self.second else torch.tensor(0.0)
        for part in batch.split(8):
            loss, second = self.losses(part)
            if second is not None:
                assert second_loss is not None
                second_loss += second.detach()
        if second_loss is not None:
            dist.reduce(second_loss, 0)
