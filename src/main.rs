//! The binary: the allocator and three lines, everything else is in the library.

/// Trees of syntax are many small pieces, made and dropped by every worker at once.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    ranklint::cli::main()
}
