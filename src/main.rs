//! The binary: three lines, everything else is in the library.

fn main() -> std::process::ExitCode {
    ranklint::cli::main()
}
