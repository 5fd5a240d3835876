"""What is known of an object says which of the methods below runs."""
import torch.distributed as dist


class Stored:
    def store(self, path):
        self.write(path)

    def write(self, path):
        raise NotImplementedError


class StoredModel(Stored):
    def write(self, path):
        dist.barrier()


class StoredSettings(Stored):
    def write(self, path):
        path.write_text("{}")


class StoredLog(Stored):
    def write(self, path):
        path.touch()


class StoredNotes(Stored):
    def write(self, path):
        path.touch()


class StoredTables(Stored):
    def write(self, path):
        path.touch()


def save_settings(settings: StoredSettings, path):
    if dist.get_rank() == 0:
        settings.store(path)


def save_made_settings(path):
    if dist.get_rank() == 0:
        settings = StoredSettings()
        settings.store(path)


def save_model(model: StoredModel, path):
    if dist.get_rank() == 0:
        model.store(path)  # error: [conditional-collective]


def save_made_model(path):
    if dist.get_rank() == 0:
        model = StoredModel()
        model.store(path)  # error: [conditional-collective]
