"""Makes a folder where there is none."""
import os
import os.path as osp


def make(folder):
    if not osp.exists(folder):
        os.makedirs(folder)  # error: [file-race]
