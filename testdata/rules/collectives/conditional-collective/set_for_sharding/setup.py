"""Makes the engine, where a setting asks for one."""
import deepspeed


def prepared(args, net):
    if not args.deepspeed:
        return net
    engine, _, _, _ = deepspeed.initialize(args=args, model=net)
    return engine
