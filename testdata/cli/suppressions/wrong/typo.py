x = 1  # ranklint: ignore[sintax-error, unreadable-file] -- why
