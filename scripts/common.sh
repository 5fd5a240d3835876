# What the scripts of this folder share. Sourced, not run; it leaves the shell in the root of the checkout.

export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The toolchain that Cargo.toml asks for.
rust_wanted=$(sed -n 's/^rust-version *= *"\(.*\)"$/\1/p' Cargo.toml)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/ranklint"

say() {
    if [ -t 2 ]; then printf '\n\033[1m== %s\033[0m\n' "$*" >&2; else printf '\n== %s\n' "$*" >&2; fi
}
die() {
    printf 'error: %s\n' "$1" >&2
    if [ $# -gt 1 ]; then printf 'help: %s\n' "$2" >&2; fi
    exit 1
}

# Whether version $1 is $2 or later.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

rust_is_new_enough() {
    command -v cargo >/dev/null && command -v rustc >/dev/null && at_least "$(rustc --version | cut -d' ' -f2)" "$rust_wanted"
}

# Rust, and a C compiler's linker for it.
need_rust() {
    PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
    if ! rust_is_new_enough && command -v rustup >/dev/null; then
        say "installing Rust $rust_wanted with rustup"
        rustup toolchain install "$rust_wanted" --profile minimal --component clippy,rustfmt ||
            die "rustup could not install Rust $rust_wanted" "look at what it says above, or install Rust by other means"
        export RUSTUP_TOOLCHAIN="$rust_wanted"
    fi
    rust_is_new_enough ||
        die "Rust $rust_wanted or later is needed, and there is $(rustc --version 2>/dev/null || echo none)" \
            "install rustup from https://rustup.rs, then run this again: it fetches the right version"
    command -v cc >/dev/null ||
        die "there is no C compiler (cc), which Rust links with" "Debian and Ubuntu: apt-get install build-essential"
}

# Python, new enough for the scripts.
need_python() {
    command -v python3 >/dev/null && python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
        die "Python 3.9 or later is needed as python3" "Debian and Ubuntu: apt-get install python3 python3-venv"
}

# The project's own Python environment, with the tools that its tests and benchmarks use.
need_venv() {
    need_python
    if ! [ -x .venv/bin/python ]; then
        say "making the Python environment .venv"
        python3 -m venv .venv || die "python3 cannot make virtual environments" "Debian and Ubuntu: apt-get install python3-venv"
    fi
    need_packages requirements-dev.txt "a package index must be reachable the first time"
}

# torch, which the run-time half runs programs with. It is large (about 3 GB to fetch, 6 GB unpacked).
need_torch() {
    need_venv
    need_packages requirements-verify.txt "torch comes from the package index and needs 6 GB of free space in .venv"
}

# A client of the language server. The test that needs it says so where it is missing.
want_client() {
    need_venv
    install_packages requirements-editor.txt ||
        say "passed over: the language server's protocol tests, since pip could not install what requirements-editor.txt names"
}

need_packages() { install_packages "$1" || die "pip could not install what $1 names" "$2"; }

# Installs a list into .venv. A copy of the list that was installed tells whether there is anything to do.
install_packages() {
    local list=$1
    cmp -s "$list" ".venv/installed-$list" && return
    say "installing what $list names into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$list" && cp "$list" ".venv/installed-$list"
}
