"""The only rank that this program knows is that within the node: it is for one node."""
import os

local_rank = int(os.environ["LOCAL_RANK"])
world_size = int(os.environ["WORLD_SIZE"])
