"""Environments of reinforcement learning: each rank plays in one of its own."""
import gymnasium
import torch
import torch.distributed as dist


def play(policy, steps):
    env = gymnasium.make("CartPole-v1")
    seen, _ = env.reset()
    for _ in range(steps):
        seen, reward, done, cut, info = env.step(policy(seen))
        if done:
            dist.all_reduce(torch.tensor(reward))  # error: [conditional-collective]


def play_in_step(envs, policy, steps):
    seen = envs.reset()
    for _ in range(steps):
        seen, reward, done, info = envs.step(policy(seen))
        episodes = torch.tensor([done.sum(), reward.sum()])
        dist.all_reduce(episodes)
        if episodes[0] > 10:
            dist.barrier()


def settings(env):
    """Not what is played in."""
    if env.get("BARRIER"):
        dist.barrier()
