x = 1  # ranklint: ignore
y = 2  # ranklint: ignore[]
z = 3  # ranklint: ignore[conditional-collective --
# ranklint: ignore[中文] -- ‮
