"""Files of data: opened as bytes, by a file system, by a model, by what writes sounds and pictures."""
import json
import pickle

import cv2
import gdown
import torch
import torch.distributed as dist
import torchaudio


def dumped(results, path):
    dist.all_reduce(results)
    with open(path, "wb") as file:  # error: [write-race]
        pickle.dump(results, file)


def dumped_as_text(results, path):
    dist.all_reduce(results)
    with open(path, "w") as file:  # low: [write-race]
        json.dump(results.tolist(), file)


def added_to(results, path):
    dist.all_reduce(results)
    with open(path, "ab") as file:
        pickle.dump(results, file)


def by_a_file_system(files, results, path):
    dist.all_reduce(results)
    with files.open(path, mode="wb") as file:  # error: [write-race]
        torch.save(results, file)


def read_by_a_file_system(files, results, path):
    dist.all_reduce(results)
    with files.open(path, "rb") as file:
        return pickle.load(file) + results


def by_the_model(model, folder):
    dist.barrier()
    model.save_pretrained(folder)  # error: [write-race]


def what_belongs_to_the_model(model, tokenizer, folder):
    """Settings and vocabularies are the same whoever writes them."""
    dist.barrier()
    tokenizer.save_pretrained(folder)
    model.config.save_pretrained(folder)


def by_the_model_of_one(accelerator, model, folder):
    accelerator.wait_for_everyone()
    model.save_pretrained(folder, is_main_process=accelerator.is_main_process, save_function=accelerator.save)


def heard_and_seen(model, folder, sound, picture):
    dist.all_reduce(model.loss)
    torchaudio.save(f"{folder}/sound.wav", sound, 16000)  # error: [write-race]
    cv2.imwrite(f"{folder}/picture.png", picture)


def seen_by_each(folder, rank, picture):
    dist.barrier()
    cv2.imwrite(f"{folder}/{rank}.png", picture)


def fetched(url, path):
    dist.init_process_group("nccl")
    gdown.download(url, path)  # error: [write-race]
    return torch.load(path)
