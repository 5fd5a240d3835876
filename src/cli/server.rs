//! `ranklint server`: the language server.

use crate::lsp;

use super::args::ServerArguments;
use super::{Exit, Failure, project};

/// Runs the command.
pub(super) fn run(arguments: &ServerArguments) -> Result<Exit, Failure> {
    let ServerArguments { stdio: _ } = arguments;
    let cwd = project::working_directory()?;
    match lsp::serve(&cwd).map_err(Failure::internal)? {
        lsp::End::Orderly => Ok(Exit::Clean),
        // The protocol asks for 1 when the client leaves without saying so.
        lsp::End::Abrupt => Ok(Exit::Findings),
    }
}
