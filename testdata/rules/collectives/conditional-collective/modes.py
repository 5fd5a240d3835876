"""A base keeps what its constructor is handed up: in one mode the first rank leads, in the other every rank does."""
import torch
import torch.distributed as dist


class Base:
    def __init__(self, *, coordinated: bool = True, name=None):
        if coordinated:
            leads = dist.get_rank() == 0
        else:
            leads = True
        self._leads = leads
        self.name = name

    @property
    def leads(self) -> bool:
        return self._leads

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        pass


class Engine(Base):
    def __init__(self, *, coordinated: bool = True, name=None):
        if name is None:
            name = "engine"
        super().__init__(coordinated=coordinated, name=name)


def now(agreed):
    t = torch.zeros(1)
    if agreed:
        dist.broadcast(t, src=0)
    return t.item()


def agrees_where_all_lead(args):
    with Engine(coordinated=args.coordinated) as engine:
        if engine.leads:
            return now(agreed=not args.coordinated)


def agrees_where_one_leads(args):
    with Engine(coordinated=args.coordinated) as engine:
        if engine.leads:
            return now(agreed=args.coordinated)  # error: [conditional-collective]
