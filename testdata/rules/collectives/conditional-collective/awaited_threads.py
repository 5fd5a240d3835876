"""Functions that run in another thread and are awaited at once run in sequence."""

import asyncio

import torch.distributed as dist


class Sender:
    async def send(self, handles, group):
        await asyncio.to_thread(dist.gather_object, obj=handles, group_dst=0, group=group)

    async def one_part_at_a_time(self, weights, group):
        handles = []

        async def flush():
            if not handles:
                return
            await self.send(handles, group)

        in_parts = await self.ask() if self.is_leader_rank else False
        for name, weight in weights:
            if in_parts:
                await flush()  # error: [conditional-collective]
            handles.append(name)
        await flush()

    async def everywhere(self, loop, handles, group):
        await loop.run_in_executor(None, dist.barrier, group)
        if self.is_leader_rank:
            print(handles)

    async def on_the_leader(self, loop, handles, group):
        if self.is_leader_rank:
            await loop.run_in_executor(None, dist.barrier, group)  # error: [conditional-collective]
