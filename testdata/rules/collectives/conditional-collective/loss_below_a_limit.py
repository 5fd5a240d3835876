"""A loss that was worked out in one way or another, by a threshold, is still that of this rank's batch (P15)."""
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def fit(network, dataset, optimizer, limit, threshold):
    model = DistributedDataParallel(network)
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        loss = model(batch)
        if threshold is not None:
            loss = loss[loss > threshold]
            if loss.nelement() > 0:
                loss = loss.mean()
        else:
            loss = loss.mean()
        if loss.nelement() > 0 and loss < limit:
            loss.backward()  # error: [conditional-collective]
            optimizer.step()


def fit_in_step(network, dataset, optimizer, limit):
    model = DistributedDataParallel(network)
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in loader:
        loss = model(batch).clamp(max=limit).mean()
        loss.backward()
        optimizer.step()
