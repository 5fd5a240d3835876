from attn_module12_golden import attn_module12_golden
from attn_module12_impl import attn_module12_wrapper
from attn_module1_golden import attn_module1_golden  # error: [cross-phase-golden-import]
from attn_module1_impl import attn_module1_wrapper


def test_module12_l0(inputs):
    import attn_module123_golden  # error: [cross-phase-golden-import]

    attn_module12_golden(inputs)
    return attn_module123_golden
