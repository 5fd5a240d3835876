//! `ranklint completions` and `ranklint man`.

use super::args::{self, CompletionsArguments, ManArguments};
use super::{Exit, Failure, print};

/// Prints the completions for a shell.
pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    print(&String::from_utf8_lossy(&args::completions(arguments)))
}

/// Prints a manual page.
pub(super) fn man(arguments: &ManArguments) -> Result<Exit, Failure> {
    let page = args::manual(arguments).ok_or_else(|| {
        let name = arguments.command.join(" ");
        Failure::usage(format!("there is no command `{name}`"), Some("`ranklint --help` lists them".to_owned()))
    })?;
    let page = page.map_err(|error| Failure::internal(format!("cannot write the page: {error}")))?;
    print(&String::from_utf8_lossy(&page))
}
