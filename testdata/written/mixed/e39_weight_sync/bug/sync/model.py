import torch.nn as nn


class PolicyLM(nn.Module):
    def __init__(self, vocab=32000, dim=512, layers=6, tie=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
                                     for _ in range(layers)])
        self.head = nn.Linear(dim, vocab, bias=False)
        if tie:
            self.head.weight = self.emb.weight

    def freeze_bottom(self, n):
        for layer in self.layers[:n]:
            for p in layer.parameters():
                p.requires_grad_(False)
        return self

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)
