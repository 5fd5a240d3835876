//! What clap writes from the arguments: shell completions and manual pages.

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;

use super::Arguments;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ManArguments {
    /// The command whose page is meant, such as `check` or `verify run` [default: ranklint itself]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// The completions for a shell.
pub(in crate::cli) fn completions(arguments: &CompletionsArguments) -> Vec<u8> {
    let mut out = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "ranklint", &mut out);
    out
}

/// The manual page of a command; none where there is no such command.
pub(in crate::cli) fn manual(arguments: &ManArguments) -> Option<std::io::Result<Vec<u8>>> {
    let mut name = "ranklint".to_owned();
    let mut root = Arguments::command();
    root.build();
    let mut command: &Command = &root;
    for part in &arguments.command {
        command = command.find_subcommand(part)?;
        name = format!("{name}-{part}");
    }
    let mut out = Vec::new();
    let page = clap_mangen::Man::new(command.clone()).title(name);
    Some(page.render(&mut out).map(|()| out))
}
