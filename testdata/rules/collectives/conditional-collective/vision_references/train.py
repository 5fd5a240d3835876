import torch
import utils


def train_one_epoch(model, criterion, optimizer, loader, epoch, args):
    logger = utils.MetricLogger()
    for image, target in logger.log_every(loader, args.print_freq):
        loss = criterion(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.update(loss=loss.item())


def evaluate(model, criterion, loader):
    model.eval()
    logger = utils.MetricLogger()
    processed = 0
    with torch.inference_mode():
        for image, target in logger.log_every(loader, 100):
            logger.update(loss=criterion(model(image), target).item())
            processed += image.shape[0]
    processed = utils.reduce_across_processes(processed)
    if hasattr(loader.dataset, "__len__") and len(loader.dataset) != processed and torch.distributed.get_rank() == 0:
        print("the number of samples differs from the data set's")
    logger.synchronize_between_processes()
    return logger.meters["loss"].global_avg


def evaluate_on_main(model, criterion, loader):
    logger = utils.MetricLogger()
    for image, target in logger.log_every(loader, 100):
        logger.update(loss=criterion(model(image), target).item())
    if torch.distributed.get_rank() == 0:
        print(utils.reduce_dict({"loss": logger.meters["loss"].total}))  # error: [conditional-collective]


def main(args):
    utils.init_distributed_mode(args)
    model = torch.nn.Linear(8, 8)
    for epoch in range(args.epochs):
        train_one_epoch(model, torch.nn.functional.cross_entropy, None, args.loader, epoch, args)
        evaluate(model, torch.nn.functional.cross_entropy, args.loader)
        utils.save_on_master({"model": model.state_dict(), "epoch": epoch}, "model.pth")
