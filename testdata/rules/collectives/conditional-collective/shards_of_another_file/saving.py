"""What is written to a file is gathered first, where it is sharded."""


def to_cpu(tensor):
    tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return tensor.detach().cpu()


def save_moments(state):
    return {name: to_cpu(moment) for name, moment in zip(state.names, list(state.moments))}
