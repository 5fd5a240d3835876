"""Who answers requests is alone, even where the model that answers was made for many."""
import os

import gradio as gr
import torch.distributed as dist


def predict(image, folder, model):
    if not os.path.exists(folder):
        os.makedirs(folder)  # low: [file-race]
    result = model(image)
    if dist.is_initialized():
        dist.barrier()
    return result


demo = gr.Interface(predict, "image", "image")
