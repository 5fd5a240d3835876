//! Nothing is written outside the working directory: what the rules share is where a path leads.

use crate::base::{FileId, Site};
use crate::catalog::ProjectFacts;
use crate::finding::{Confidence, Finding, Severity};
use crate::graph::Program;

mod folder;
mod helpers;
mod inherited_temp;
mod shell;
mod shell_temp;
mod stdlib_tempfile;
mod write_outside_workdir;

pub use inherited_temp::RULE as INHERITED_TEMP;
pub use shell_temp::RULE as SHELL_TEMP;
pub use stdlib_tempfile::RULE as STDLIB_TEMPFILE;
pub use write_outside_workdir::RULE as WRITE_OUTSIDE_WORKDIR;

/// A kind of place outside the working directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outside {
    /// `/tmp`, `/var/tmp`
    Temporary,
    /// `/dev/shm`
    SharedMemory,
    /// The user's home, `/root`
    Home,
    /// Any other absolute path.
    Absolute,
}

impl Outside {
    /// Where `path`, as folded by the model, leads when that is outside; absent for relative paths and devices.
    pub fn of(path: &str) -> Option<Outside> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let below =
            |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if below("/tmp") || below("/var/tmp") {
            Some(Outside::Temporary)
        } else if below("/dev/shm") {
            Some(Outside::SharedMemory)
        } else if below("/root") || below("/home") || below(crate::model::HOME) || below("${HOME}") {
            Some(Outside::Home)
        } else if below("/dev") || below("/proc") || below("/sys") {
            None
        } else {
            let named =
                |rest: &str| rest.starts_with(|first: char| first.is_alphanumeric() || first == '.' || first == '_');
            let unix = path.strip_prefix('/').is_some_and(named);
            let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
                && (path[1..].starts_with(":\\") || path[1..].starts_with(":/") && !path[2..].starts_with("//"));
            (unix || drive).then_some(Outside::Absolute)
        }
    }

    /// How sure it is that this is no part of the working directory: a general absolute path might be.
    pub fn confidence(self) -> Confidence {
        match self {
            Outside::Absolute => Confidence::Medium,
            _ => Confidence::High,
        }
    }
}

/// Whether the project declares that it may write there.
pub(super) fn is_allowed(facts: &ProjectFacts, path: &str) -> bool {
    let path = path.strip_prefix("file://").unwrap_or(path);
    facts.allowed_writes.iter().any(|allowed| {
        let allowed = match allowed.path.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", crate::model::HOME),
            None => allowed.path.clone(),
        };
        let folder = allowed.strip_suffix('/').unwrap_or(&allowed);
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || (allowed.contains('*')
                && globset::Glob::new(&allowed).is_ok_and(|glob| glob.compile_matcher().is_match(path)))
    })
}

/// Raises a finding to an error inside a staged operator's folder, where the contract says "must".
pub(super) fn graded(program: &Program, file: FileId, finding: Finding) -> Finding {
    match program.operators().of_path(&program.file(file).path) {
        Some(_) => finding.severity(Severity::Error),
        None => finding,
    }
}

/// The same for a place that the code leaves to the machine: advice, and no more, where nothing says that the project has
/// the contract. It has when it holds a staged operator, or declares where it may write.
pub(super) fn graded_default(program: &Program, file: FileId, finding: Finding) -> Finding {
    match program.operators().is_empty() && program.facts.allowed_writes.is_empty() {
        true => finding.severity(Severity::Note).confidence(Confidence::Low),
        false => graded(program, file, finding),
    }
}

/// Adds the place where the path is spelled when the finding's own line does not show it: all that goes there goes wrong by
/// that.
pub(super) fn spelled(finding: Finding, defined: Option<Site>, path: &str) -> Finding {
    match defined {
        Some(site) if site != finding.site => {
            let finding = finding.because(site, format!("the path begins with `{path}` here"));
            Finding { cause: Some(site), ..finding }
        }
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::AllowedWrite;

    #[test]
    fn paths_are_told_apart() {
        assert_eq!(Outside::of("/tmp"), Some(Outside::Temporary));
        assert_eq!(Outside::of("/tmp/x"), Some(Outside::Temporary));
        assert_eq!(Outside::of("file:///tmp/x"), Some(Outside::Temporary));
        assert_eq!(Outside::of("/tmpfs"), Some(Outside::Absolute));
        assert_eq!(Outside::of("$HOME/.cache"), Some(Outside::Home));
        assert_eq!(Outside::of("C:\\out"), Some(Outside::Absolute));
        for inside in
            ["", "/", "out/tmp", "./tmp", "/dev/null", "/dev/stdout", "/proc/self/fd/1", "~/x", "s3://b/tmp", "a:"]
        {
            assert_eq!(Outside::of(inside), None, "{inside}");
        }
    }

    #[test]
    fn declared_places_are_allowed() {
        let allowed = |path: &str| AllowedWrite { path: path.to_owned(), reason: "because".to_owned() };
        let facts =
            ProjectFacts { allowed_writes: vec![allowed("/dev/shm/ipc"), allowed("~/.cache/")], ..Default::default() };
        assert!(is_allowed(&facts, "/dev/shm/ipc/0"));
        assert!(!is_allowed(&facts, "/dev/shm/ipc2"));
        assert!(is_allowed(&facts, "$HOME/.cache/x"));
        assert!(!is_allowed(&facts, "/tmp/x"));
    }
}
