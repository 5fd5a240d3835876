"""Lightning Fabric: `save` is called by all ranks (P45b)."""
import lightning as L


def main(model, state):
    fabric = L.Fabric(devices=8, strategy="fsdp")
    fabric.launch()
    if fabric.is_global_zero:
        fabric.save("state.ckpt", state)  # error: [conditional-collective]
    if fabric.global_rank == 0:
        fabric.all_reduce(state["loss"])  # error: [conditional-collective]


def main_in_step(model, state):
    fabric = L.Fabric(devices=8, strategy="fsdp")
    fabric.launch()
    fabric.save("state.ckpt", state)
    loss = fabric.all_reduce(state["loss"])
    if fabric.is_global_zero:
        fabric.print(loss)
    fabric.barrier()
