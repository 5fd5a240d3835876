"""A file without a word of the trade."""


class SkipErrors:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return True
