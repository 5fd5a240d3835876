# one
# two ranklint: ignore[
# ranklint: ignore[nothing, , ,
# ranklint: ignore-file[*] --
# no line end