from attn_module12_golden import attn_module12_golden
from attn_module12_impl import attn_module12_wrapper

from detailed_tensor_compare import detailed_tensor_compare
from test_inputs import make_inputs


def test_module12_l0():
    inputs = make_inputs({"id": "M12_l0", "level": 0})
    impl_out = attn_module12_wrapper(*inputs.values())
    gold_out = attn_module12_golden(*inputs.values())
    for i, (a, b) in enumerate(zip(impl_out, gold_out)):
        detailed_tensor_compare(a, b, atol=1e-3, rtol=1e-3, tensor_name=f"module12_out{i}")
