//! The command line: arguments to a configuration, a run, a report and an exit code.

mod args;
mod baseline;
mod check;
mod exit;
mod explain;
mod generated;
mod graph;
mod hook;
mod init;
mod output;
mod project;
mod rules;
mod server;
mod statistics;
mod terminal;
mod verify;
mod version;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser as _;

pub use exit::Exit;

use args::{Arguments, Command};

/// Why a command could not do its work: a text for the person, and the exit code.
struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
}

impl Failure {
    fn usage(message: impl Into<String>, help: Option<String>) -> Failure {
        Failure { exit: Exit::Usage, message: message.into(), help }
    }

    fn internal(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Internal, message: message.into(), help: None }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Hook => hook::run(),
        Command::Server(arguments) => server::run(&arguments),
        Command::Rules(arguments) => rules::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Version(arguments) => version::run(&arguments),
        Command::Completions(arguments) => generated::completions(&arguments),
        Command::Man(arguments) => generated::man(&arguments),
        Command::ConfigSchema => print(&crate::config::schema()),
    };
    let exit = outcome.unwrap_or_else(|failure| {
        complain("error", &failure.message, failure.help.as_deref());
        failure.exit
    });
    ExitCode::from(exit as u8)
}

/// Prints to standard output. A reader that has gone away is not an error.
fn print(text: &str) -> Result<Exit, Failure> {
    written(std::io::stdout().lock().write_all(text.as_bytes()))?;
    Ok(Exit::Clean)
}

/// Whether writing went well, or nobody reads any more.
fn written(outcome: std::io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            READER_LEFT.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(error) => Err(Failure::usage(format!("cannot write to standard output: {error}"), None)),
        Ok(()) => Ok(()),
    }
}

/// Whether whoever reads standard output has gone away.
static READER_LEFT: AtomicBool = AtomicBool::new(false);

/// Says something on standard error.
fn complain(kind: &str, message: &str, help: Option<&str>) {
    let mut err = std::io::stderr().lock();
    let help = help.map(|help| format!("help: {help}\n")).unwrap_or_default();
    // Nobody is left to tell when standard error is closed.
    let _ = write!(err, "{kind}: {message}\n{help}");
}
