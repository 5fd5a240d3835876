from .brain import Brain
