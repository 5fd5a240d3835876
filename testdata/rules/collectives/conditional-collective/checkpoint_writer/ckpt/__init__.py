from .writer import save_checkpoint as save_checkpoint
