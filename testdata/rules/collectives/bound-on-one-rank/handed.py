"""What one rank alone has, handed to functions that all ranks run, and answered by functions that ask for the rank."""
import torch.distributed as dist


def logger_of(folder, rank):
    if rank == 0:
        logger = open(f"{folder}/log.txt", "w")
    else:
        logger = None
    return logger


def generate(model, prompts):
    outputs = model(prompts)
    dist.barrier()
    if dist.get_rank() == 0:
        return [text for text in outputs]
    return None


def validate(model, batches, logger, rank):
    loss = sum(model(batch) for batch in batches)
    dist.all_reduce(loss)
    if rank == 0:
        print(loss)
    logger.write(str(loss))  # error: [bound-on-one-rank]


def validate_first(model, batches, logger, rank):
    loss = sum(model(batch) for batch in batches)
    dist.all_reduce(loss)
    if rank == 0:
        logger.write(str(loss))


def train(model, batches, folder, rank):
    logger = logger_of(folder, rank)
    validate_first(model, batches, logger, rank)
    validate(model, batches, logger, rank)


def train_with_writer(model, batches, rank):
    writer = open("log.txt", "w") if rank == 0 else None
    for batch in batches:
        step(model, batch, writer=writer, rank=rank)
        careful(model, batch, writer, rank)


def step(model, batch, rank, writer=None):
    loss = model(batch)
    dist.all_reduce(loss)
    log(writer, loss)


def log(writer, loss):
    writer.write(str(loss))  # error: [bound-on-one-rank]


def careful(model, batch, writer, rank):
    loss = model(batch)
    dist.all_reduce(loss)
    kept = None
    if writer is not None and loss > 1:
        kept = loss
    if writer:
        writer.write(str(loss))
    if kept is not None:
        writer.write(str(kept))


def evaluate(model, prompts):
    outputs = generate(model, prompts)
    first = outputs[0]  # error: [bound-on-one-rank]
    dist.barrier()
    return first


def evaluate_first(model, prompts):
    outputs = generate(model, prompts)
    if dist.get_rank() == 0:
        print(outputs[0])
    dist.barrier()


def default_of(rank):
    if rank == 0:
        return {"run": 1}
    return {}


def use_default(rank):
    settings = default_of(rank)
    dist.barrier()
    return settings.get("run")


def train_with_care(model, batches, rank):
    sink = open("log.txt", "w") if rank == 0 else None
    for batch in batches:
        measured(model, batch, sink)
        replaced(model, batch, sink)
        asked(model, batch, sink)


def measured(model, batch, sink):
    loss = model(batch)
    dist.all_reduce(loss)
    kept = None
    if sink is not None and loss > 1:
        kept = loss
    if kept is not None:
        sink.write(str(kept))


def replaced(model, batch, sink):
    loss = model(batch)
    dist.all_reduce(loss)
    if sink is None:
        sink = print
    sink.flush()


def asked(model, batch, sink):
    loss = model(batch)
    dist.all_reduce(loss)
    if sink is not None:
        sink.write(str(loss))


def sink_of(folder, rank):
    if rank == 0:
        if not folder:
            return None
        return open(f"{folder}/log.txt", "w")
    return None


def train_into(model, batch, folder, rank):
    sink = sink_of(folder, rank)
    loss = model(batch)
    dist.all_reduce(loss)
    sink.write(str(loss))  # error: [bound-on-one-rank]
