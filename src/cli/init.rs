//! `ranklint init`: writes a configuration with what the project tells about itself.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::analyze::{Workers, program};
use crate::catalog::ProjectFacts;
use crate::project::{Detail, Detected};

use super::args::InitArguments;
use super::project::{self, ConfigFrom};
use super::{Exit, Failure, complain, print};

/// What is written.
const NAME: &str = "ranklint.toml";

/// How many of a kind are listed.
const LISTED: usize = 12;

/// Runs the command.
pub(super) fn run(arguments: &InitArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let root = arguments.folder.as_ref().map_or_else(|| cwd.clone(), |folder| cwd.join(folder));
    if !root.is_dir() {
        return Err(Failure::usage(format!("there is no folder `{}`", root.display()), None));
    }
    if !arguments.force {
        refuse_to_overwrite(&root)?;
    }
    let config = project::config(ConfigFrom::Nowhere, &root)?;
    let found = project::files(&[PathBuf::from(".")], &root, &config, false)?;
    if found.is_empty() {
        complain("warning", "no Python file or shell script found", None);
    }
    let files = found.len();
    let catalog = project::catalog(&config)?;
    let workers =
        Workers::start(0).map_err(|error| Failure::usage(format!("cannot start the threads: {error}"), None))?;
    let sources = workers.read(found);
    let detected = workers.install(|| Detected::in_program(&program(sources, ProjectFacts::default(), catalog)));
    write(&root.join(NAME), &text(&detected, files))
        .map_err(|error| Failure::usage(format!("cannot write `{NAME}`: {error}"), None))?;
    print(&summary(&detected, files))
}

fn refuse_to_overwrite(root: &Path) -> Result<(), Failure> {
    if root.join(NAME).exists() {
        let help = "`ranklint init --force` replaces it; what it holds now is lost".to_owned();
        return Err(Failure::usage(format!("there is a `{NAME}` already"), Some(help)));
    }
    if project::config(ConfigFrom::File(Path::new("pyproject.toml")), root).is_ok() {
        let help = format!("`ranklint init --force` writes `{NAME}`, which holds in its place");
        return Err(Failure::usage("`pyproject.toml` has a `[tool.ranklint]` table already", Some(help)));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the user asked for a configuration to be written")]
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)
}

/// The configuration.
fn text(detected: &Detected, files: usize) -> String {
    let mut out = format!(
        "# Written by `ranklint init`, from {files} files. A key behind `#` shows its default, or an example.\n\
         # README.md of ranklint lists all keys.\n\n\
         # Rules and groups to run; `ranklint rules` lists them.\n# select = [\"all\"]\n# ignore = []\n\n\
         # Files and folders to leave out, beside virtual environments, caches and what git ignores.\n# exclude = []\n\n\
         # Findings that are known and not shown: `ranklint check --update-baseline` writes the file.\n\
         # baseline = \"ranklint-baseline.json\"\n\n\
         # Every suppression says why: `# ranklint: ignore[RULE] -- REASON`.\n# require-reason = false\n\n\
         # Environment keys that only tests set.\n"
    );
    let mut keys = detected.test_keys.clone();
    let is_default = keys.is_empty();
    keys.insert("SCOPE_TEST_*".to_owned());
    let _ = writeln!(out, "{}test-keys = {}\n", if is_default { "# " } else { "" }, array(&keys));

    out.push_str(
        "# Environment keys that are compared across ranks before anything starts. Those that the source compares need no\n\
         # entry; those that a launcher or another repository compares do.\n",
    );
    list(&mut out, "The source compares:", &detected.compared);
    list(&mut out, "Test keys that are read, and compared nowhere:", &detected.uncompared);
    out.push_str("# parity-keys = []\n\n# Modules that own the control-plane envelope.\n# envelope-modules = []\n\n");

    if !detected.operators.is_empty() {
        out.push_str("# Operator folders, in which the rules of `golden` look:\n");
        detected.operators.iter().for_each(|folder| {
            let _ = writeln!(out, "#   {}", printable(folder));
        });
        out.push('\n');
    }
    out.push_str(
        "# What calls do whose source is not here: wrappers in compiled extensions or other repositories, groups, names.\n\
         # Functions of this project need no declaration, since their source is read.\n",
    );
    list(&mut out, "Groups that are made here:", &detected.groups);
    list(&mut out, "Wrappers that are defined here:", &detected.wrappers);
    out.push_str(
        "# [[models.collective]]\n# names = [\"acme.comm.all_mean\"]\n# op = \"all_reduce\"\n\
         # group = { parameter = \"group\", position = 1 }\n",
    );
    out
}

fn array(keys: &std::collections::BTreeSet<String>) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
    format!("[{}]", quoted.join(", "))
}

fn list(out: &mut String, title: &str, details: &[Detail]) {
    if details.is_empty() {
        return;
    }
    let _ = writeln!(out, "# {title}");
    for detail in details.iter().take(LISTED) {
        let _ = writeln!(out, "#   {}  {}", printable(&detail.place), printable(&detail.what));
    }
    if details.len() > LISTED {
        let _ = writeln!(out, "#   and {} more", details.len() - LISTED);
    }
}

/// Text that stays on its line of the file.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn summary(detected: &Detected, files: usize) -> String {
    let mut out = format!("wrote {NAME}, from {files} files\n");
    for (count, what) in [
        (detected.test_keys.len(), "patterns of test keys"),
        (detected.compared.len(), "places where ranks compare environment keys"),
        (detected.uncompared.len(), "test keys that are compared nowhere"),
        (detected.groups.len(), "places that make process groups"),
        (detected.wrappers.len(), "wrappers of collectives"),
        (detected.operators.len(), "operator folders"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "  {count:>4} {what}");
        }
    }
    out + "next: `ranklint check`; to begin with what is there as known: `ranklint check --baseline FILE --update-baseline`\n"
}
