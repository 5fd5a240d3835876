def attn(x):
    return x
