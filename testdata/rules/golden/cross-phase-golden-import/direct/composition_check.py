"""Outside the judges: composition verification may name the last golden and the user's."""
from attn_golden import attn_golden
from attn_module123_golden import attn_module123_golden

PAIRS = {"candidate": attn_module123_golden, "truth": attn_golden}
