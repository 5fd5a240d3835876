"""Ways to splice impl[1..k] with golden[k+1..N]."""


def build_hybrid(impl, goldens, k, total):  # error: [hybrid-composition]
    def run(*inputs):
        value = inputs
        for j in range(1, total + 1):
            value = impl[j](*value) if j <= k else goldens[j](*value)
        return value

    return run


def loop(impls, goldens, k, total, value):
    for j in range(1, total + 1):
        if j <= k:
            value = impls[j](value)  # error: [hybrid-composition]
        else:
            value = goldens[j](value)
    return value


def nested(impl_module, golden_tail, x):
    return golden_tail(impl_module.attn_module12_wrapper(x))  # error: [hybrid-composition]


def by_name(attn_module12_wrapper, attn_module3_golden, x):
    middle, scale = attn_module12_wrapper(x)
    return attn_module3_golden(middle, scale)  # error: [hybrid-composition]


def other_way(impl, golden_head, x):
    start = golden_head(x)
    return impl.tail(start)  # error: [hybrid-composition]


def side_by_side(impl, golden_fn, x, compare_golden):
    candidate = impl.run(x)
    truth = golden_fn(x)
    return compare_golden(candidate, truth)
