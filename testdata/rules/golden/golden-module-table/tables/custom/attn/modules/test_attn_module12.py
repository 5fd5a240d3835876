from attn_module12_golden import attn_module12_golden
from attn_module1_golden import attn_module1_golden as previous  # error: [cross-phase-golden-import]

TRUTHS = (previous, attn_module12_golden)  # error: [golden-module-table]
