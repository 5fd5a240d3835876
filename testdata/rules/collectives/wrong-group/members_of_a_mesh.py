"""The last stage sends what the other members of its group wait for; the mesh tells who they are (P26)."""
import torch.distributed as dist


def share_loss(mesh, stages, pp_group, loss):
    ranks = mesh.get_ranks_in_group(pp_group)
    if stages.is_last_stage():
        dist.broadcast_object_list([loss], src=ranks[-1], group=pp_group)
    elif dist.get_rank() in ranks:
        box = [None]
        dist.broadcast_object_list(box, src=ranks[-1], group=pp_group)
        loss = box[0]
    return loss


def share_loss_of_few(mesh, stages, pp_group, loss):
    ranks = mesh.get_ranks_in_group(pp_group)
    if stages.is_last_stage():
        dist.broadcast_object_list([loss], src=ranks[-1], group=pp_group)  # error: [conditional-collective]
    return loss
