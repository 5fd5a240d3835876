import os


def plan():
    return os.environ.get("APP_EVERY", "999999")


def stage():
    return os.environ.get("APP_EVERY", "999999")


def verbose():
    return os.environ.get("APP_VERBOSE", "0") == "1"


def is_verbose():
    return os.environ.get("APP_VERBOSE", "false") != "false"


def is_set():
    return os.environ.get("APP_EVERY") is not None


def local_rank():
    return os.environ.get("LOCAL_RANK", "0")


def any_local_rank():
    return os.environ.get("LOCAL_RANK", "-1")


def tell():
    print(f"every {os.environ.get('APP_EVERY', 'unset')} steps")
