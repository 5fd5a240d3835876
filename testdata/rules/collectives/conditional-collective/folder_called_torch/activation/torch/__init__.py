from .filter import low_pass
