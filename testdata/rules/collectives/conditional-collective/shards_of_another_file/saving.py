"""What is written to a file is gathered first, where it is sharded."""


def to_cpu(tensor):
    tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return tensor.detach().cpu()


def save_moments(state):
    return {name: to_cpu(moment) for name, moment in zip(state.names, list(state.moments))}


def save_weights(folder, state):
    whole = {}
    for name, tensor in state.items():
        if hasattr(tensor.data, "full_tensor"):
            tensor = tensor.data.full_tensor()
        whole[name] = tensor.cpu()
    return folder, whole
