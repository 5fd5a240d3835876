//! `ranklint verify`: what runs programs.

mod doctor;
mod matrix;
mod plan;
mod predict;
mod programs;
mod replay;
mod run;
mod show;

use std::path::{Path, PathBuf};

use crate::verify::interpreter::{self, Interpreter, InterpreterError, Surroundings};
use crate::verify::outcome::Outcome;
use crate::verify::package;
use crate::verify::supervise::Supervisor;

use super::args::{VerifyArguments, VerifyCommand};
use super::{Exit, Failure};

/// Runs the command.
pub(super) fn run(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let Some(command) = &arguments.command else { return plan::run(&arguments.paths) };
    match command {
        VerifyCommand::Run(arguments) => run::run(arguments),
        VerifyCommand::Programs(arguments) => programs::run(arguments),
        VerifyCommand::Matrix(arguments) => matrix::run(arguments),
        VerifyCommand::MatrixHelper => matrix::help(),
        VerifyCommand::Replay(arguments) => replay::run(arguments),
        VerifyCommand::Doctor(arguments) => doctor::run(arguments),
    }
}

/// The interpreter that runs the ranks of a command; it has torch.
fn interpreter_with_torch(named: Option<&Path>, command: &[String], cwd: &Path) -> Result<Interpreter, Failure> {
    let surroundings = Surroundings::of_process(named.map(Path::to_owned), cwd).for_command(command);
    let found = interpreter::choose(&surroundings).and_then(|choice| choice.ask());
    let found = found.map_err(|error| no_interpreter(&error))?;
    found.torch().map_err(|error| no_interpreter(&error))?;
    Ok(found)
}

fn no_interpreter(error: &InterpreterError) -> Failure {
    let tried = error.tried();
    let tried = if tried.is_empty() { String::new() } else { format!(" (tried: {})", tried.join("; ")) };
    Failure { exit: Exit::CannotRun, message: format!("{error}{tried}"), help: Some(error.remedy()) }
}

/// The folder of the Python package that runs beside the program.
fn package_root() -> Result<PathBuf, Failure> {
    package::root().map_err(|error| Failure {
        exit: Exit::CannotRun,
        message: error.to_string(),
        help: Some(error.remedy().to_owned()),
    })
}

/// Watches over processes, also when this one is killed.
fn supervisor(interpreter: &Interpreter, root: &Path) -> Result<Supervisor, Failure> {
    let cannot = |error: String| Failure {
        exit: Exit::CannotRun,
        message: format!("cannot watch over processes: {error}"),
        help: Some("look at the limits of open files and processes (`ranklint verify doctor`)".to_owned()),
    };
    let mut supervisor = Supervisor::start().map_err(|error| cannot(error.to_string()))?;
    supervisor.guard(&interpreter.path, root).map_err(|error| cannot(error.to_string()))?;
    Ok(supervisor)
}

/// How a command ends whose run has ended so.
fn exit_of(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::Passed => Exit::Clean,
        Outcome::Blocked { .. } | Outcome::Skipped { .. } | Outcome::Interrupted { .. } => Exit::CannotRun,
        _ => Exit::Findings,
    }
}
