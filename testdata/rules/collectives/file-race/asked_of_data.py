"""What ranks ask of data, of the clock or of settings keeps none of them out, though the rank is near."""
import os
import shutil
import time

import torch.distributed as dist
from mine import evaluate


class Job:
    def __init__(self, cfg, rank, record):
        self.began = time.time()
        self.cfg = cfg
        if rank == 0:
            self.cfg = dict(cfg, log=True)
        self.record = record

    def stop_in_time(self):
        if time.time() - self.began < 3600:
            return
        if self.record is not None and os.path.exists(self.record):
            os.remove(self.record)  # error: [file-race]
        dist.barrier()  # error: [divergent-early-exit]

    def prune(self, step):
        if step % self.cfg["keep_every"] == 0:
            if os.path.exists(self.cfg["old"]):
                shutil.rmtree(self.cfg["old"])  # error: [file-race]
        dist.barrier()


def keep_best(model, loader, rank, best, folder):
    score = evaluate(model, loader, rank)
    if score > best:
        if os.path.exists(folder):
            shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def overwrite(settings, folder):
    if settings.overwrite and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def of_a_module(main_module, folder):
    if main_module is not None and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def of_the_first(rank, folder):
    if rank == 0 and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_the_main_process(is_main_process, folder):
    if is_main_process and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_who_leads(rank, folder):
    leads = int(rank == 0)
    if leads and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_a_path_that_one_has(rank, folder):
    old = folder if speaks() else None
    if old and os.path.exists(old):
        shutil.rmtree(old)
    dist.barrier()


def speaks():
    return dist.get_rank() == 0


def of_the_process_that_is_the_one(i_am_main, folder):
    if i_am_main and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_a_ranking(ranking_loss, low_rank_of, folder):
    if ranking_loss and low_rank_of > 2 and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def of_a_program(main, folder):
    if main and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def of_the_environment(folder):
    chosen = os.environ["SLURM_PROCID"] == "0"
    if chosen and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_a_setting(folder):
    chosen = os.environ["CLEAR"] == "1"
    if chosen and os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    dist.barrier()


def clear(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)
    return True


def in_one_go(rank, folder):
    if rank == 0 and clear(folder):
        print("cleared")
    dist.barrier()


def clear_by_choice(folder):
    if os.path.exists(folder):
        shutil.rmtree(folder)
    return True


def in_one_choice(rank, folder):
    cleared = clear_by_choice(folder) if rank == 0 else False
    dist.barrier()
    return cleared


def clear_all(folder, count):
    if os.path.exists(folder):
        shutil.rmtree(folder)  # error: [file-race]
    return count


def in_one_go_of_all(rank, folder, count):
    if count > 3 and clear_all(folder, count) > 4 and rank == 0:
        print("cleared")
    dist.barrier()


def start(folder):
    return {"talks": dist.get_rank() == 0, "folder": folder}


def of_an_answer(folder):
    job = start(folder)
    if job["talks"] and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()


def of_an_entry(job, folder):
    if job["leads"] and os.path.exists(folder):
        shutil.rmtree(folder)
    dist.barrier()
