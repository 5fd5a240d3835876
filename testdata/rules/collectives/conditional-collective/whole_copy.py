"""A copy of a model that nobody has prepared is whole on every rank."""
import copy

from accelerate import Accelerator, FullyShardedDataParallelPlugin


def train(net, optimizer, batches, folder):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    average = copy.deepcopy(net)
    net, optimizer = accelerator.prepare(net, optimizer)
    for batch in batches:
        accelerator.backward(net(batch))
        optimizer.step()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save_model(average, folder)  # low: [conditional-collective]


def train_and_save_both(net, optimizer, batches, folder):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    average = copy.deepcopy(net)
    net, average, optimizer = accelerator.prepare(net, average, optimizer)
    for batch in batches:
        accelerator.backward(net(batch))
        optimizer.step()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save_model(average, folder)  # error: [conditional-collective]
