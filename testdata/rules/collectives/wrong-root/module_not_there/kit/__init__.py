"""A toolkit, as far as it was copied."""
