"""The last rank ends the search alone; the loop inside goes on with the next token."""
import torch.distributed as dist


def search(tokens, scores, hypotheses):
    for position in range(100):
        if dist.get_rank() == 3:
            for token in tokens:
                if token.is_worse:
                    continue
                hypotheses.add(token)
            if hypotheses.is_done(scores.max().item(), position):
                break
        dist.broadcast(tokens, src=3)
    return tokens
