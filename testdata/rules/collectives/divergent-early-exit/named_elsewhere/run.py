"""The program."""
from shares import share_count
from totals import share_total

if __name__ == "__main__":
    share_count(share_total(1))
