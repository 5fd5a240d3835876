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


def follow_after_a_barrier():
    while True:
        dist.barrier()
        question = [None]
        dist.broadcast_object_list(question, src=0)


def answer(question):
    dist.barrier()
    dist.broadcast_object_list([question], src=0)


def show(page):
    # Whoever looks at the page asks.
    if dist.get_rank() == 0:
        page.button("ask", on_click=answer)
        page.launch()
    else:
        follow_after_a_barrier()  # low: [conditional-collective]


def answer(question):
    dist.barrier()
    dist.broadcast_object_list([question])


def work_for_ever(model):
    while True:
        dist.barrier()
        question = [None]
        dist.broadcast_object_list(question)
        model(question)


def demonstrate(page, model):
    if dist.get_rank() == 0:
        page.click(fn=answer)
        page.launch()
    else:
        work_for_ever(model)  # low: [conditional-collective]
