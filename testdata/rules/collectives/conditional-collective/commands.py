"""One rank serves, the others wait for its commands (P31)."""
import torch.distributed as dist


class Model:
    def follow(self):
        while True:
            command = [None]
            dist.broadcast_object_list(command, src=0)
            if command[0] == "stop":
                return
            self.run(command)

    def run(self, command):
        print(command)


def serve(model, server):
    if dist.get_rank() == 0:
        server.serve()
        dist.broadcast_object_list(["stop"], src=0)  # low: [conditional-collective]
        server.stop()
    else:
        model.follow()


def serve_alone(server):
    if dist.get_rank() == 0:
        server.serve()
        dist.broadcast_object_list(["stop"], src=0)  # error: [conditional-collective]
        server.stop()
