//! Which Python runs the ranks, and what it can do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::launch::{self, NoAnswer};

/// The oldest Python that the probe runs on.
pub const OLDEST: (u32, u32) = (3, 9);

/// How long an interpreter may take to answer; a cold disk is slow.
const DEADLINE: Duration = Duration::from_secs(20);

/// Asks without importing anything large. The working directory is left out of the path: a checkout of torch is not torch.
const QUESTION: &str = r#"
import sys
sys.path[:] = [entry for entry in sys.path if entry != ""]
import json, signal
torch = None
try:
    from importlib.metadata import version
    from importlib.util import find_spec
    if find_spec("torch") is not None:
        try:
            torch = version("torch")
        except Exception:
            torch = ""
except Exception:
    pass
first = getattr(signal, "SIGRTMIN", None)
print("ranklint:" + json.dumps({
    "executable": sys.executable,
    "version": list(sys.version_info[:3]),
    "implementation": sys.implementation.name,
    "torch": torch,
    "stacks_signal": int(signal.SIGUSR2) if first is None else int(first) + 11,
}))
"#;

/// What decides which interpreter is taken.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// `--python`.
    pub option: Option<PathBuf>,
    /// The first word of the command, where it is the path of a Python.
    pub command: Option<PathBuf>,
    /// The working directory.
    pub cwd: PathBuf,
    /// `VIRTUAL_ENV`.
    pub virtual_env: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
}

impl Surroundings {
    /// Those of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the interpreter is told by the environment, as everywhere in Python"
    )]
    pub fn of_process(option: Option<PathBuf>, cwd: &Path) -> Surroundings {
        let virtual_env = std::env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty()).map(PathBuf::from);
        Surroundings { option, command: None, cwd: cwd.to_owned(), virtual_env, path: std::env::var_os("PATH") }
    }

    /// The same for a command, whose first word may say which Python is wanted.
    #[must_use]
    pub fn for_command(mut self, command: &[String]) -> Surroundings {
        let first = command.first().filter(|first| launch::names_python(first));
        self.command = first.map(PathBuf::from).filter(|path| path.components().count() > 1);
        self
    }
}

/// Why an interpreter is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The user has named it.
    Option,
    /// It is the first word of the command.
    Command,
    /// A virtual environment is active.
    VirtualEnv,
    /// A folder above the working directory holds `.venv`.
    Folder,
    /// It is the first `python3` on the path.
    Path,
}

impl Why {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Why::Option => "given by --python",
            Why::Command => "named in the command",
            Why::VirtualEnv => "from VIRTUAL_ENV",
            Why::Folder => "from .venv",
            Why::Path => "python3 on PATH",
        }
    }
}

/// An interpreter that was chosen, and not asked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its path.
    pub path: PathBuf,
    /// Why it is this one.
    pub why: Why,
}

/// An interpreter that has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its path: of the interpreter itself where the choice is a script that finds it.
    pub path: PathBuf,
    /// Why it is this one.
    pub why: Why,
    /// `(3, 11, 7)`.
    pub version: (u32, u32, u32),
    /// `cpython`.
    pub implementation: String,
    /// Version of torch, where it is installed; empty when it is there and does not say.
    pub torch: Option<String>,
    /// The number of the signal that asks the probe for stacks.
    pub stacks_signal: i32,
}

/// Why there is no interpreter to run ranks with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpreterError {
    /// None was found.
    #[error("no Python was found")]
    None {
        /// Where it was looked for.
        tried: Vec<String>,
    },
    /// It does not start, or does not answer.
    #[error("{} cannot be used: {why}", path.display())]
    NotStartable {
        /// Which one.
        path: PathBuf,
        /// Why it was taken.
        chosen: Why,
        /// What came of it.
        why: String,
    },
    /// It is older than [`OLDEST`].
    #[error("{} is Python {}.{}, and the probe needs {}.{} or later", path.display(), version.0, version.1, OLDEST.0, OLDEST.1)]
    TooOld {
        /// Which one.
        path: PathBuf,
        /// Why it was taken.
        chosen: Why,
        /// Its version.
        version: (u32, u32, u32),
    },
    /// torch is not installed there.
    #[error("torch is not installed for {}", path.display())]
    NoTorch {
        /// Which one.
        path: PathBuf,
        /// Why it was taken.
        chosen: Why,
    },
}

impl InterpreterError {
    /// What was tried and what came of it.
    pub fn tried(&self) -> Vec<String> {
        match self {
            InterpreterError::None { tried } => tried.clone(),
            InterpreterError::NotStartable { chosen, .. }
            | InterpreterError::TooOld { chosen, .. }
            | InterpreterError::NoTorch { chosen, .. } => vec![format!("{self} ({})", chosen.text())],
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            InterpreterError::None { .. } => {
                "activate the environment of the program, or name its Python with `--python`".to_owned()
            }
            InterpreterError::NotStartable { chosen: Why::VirtualEnv | Why::Folder, .. } => {
                "make the virtual environment anew, or name another Python with `--python`".to_owned()
            }
            InterpreterError::NotStartable { .. } => "name a Python that starts with `--python`".to_owned(),
            InterpreterError::TooOld { .. } => {
                format!("use Python {}.{} or later; `--python` names it", OLDEST.0, OLDEST.1)
            }
            InterpreterError::NoTorch { path, .. } => {
                format!(
                    "install it (`{} -m pip install torch`), or name the Python of the program with `--python`",
                    path.display()
                )
            }
        }
    }
}

/// Takes the interpreter that is named or nearest: `--python`, `VIRTUAL_ENV`, `.venv` in the working directory or above,
/// `python3` on the path.
///
/// # Errors
/// There is none.
pub fn choose(surroundings: &Surroundings) -> Result<Choice, InterpreterError> {
    let mut tried = Vec::new();
    let named = surroundings.option.as_ref().map(|named| (named, Why::Option, "--python "));
    let named = named.or(surroundings.command.as_ref().map(|named| (named, Why::Command, "")));
    if let Some((named, why, option)) = named {
        let found = if named.components().count() > 1 {
            Some(surroundings.cwd.join(named)).filter(|path| path.exists())
        } else {
            on_path(surroundings, &named.to_string_lossy())
        };
        return found.map(|path| Choice { path: in_folder(path), why }).ok_or_else(|| InterpreterError::None {
            tried: vec![format!("{option}{}: no such program", named.display())],
        });
    }
    let mut consider = |path: PathBuf, why: Why| {
        if path.exists() {
            return Some(Choice { path, why });
        }
        tried.push(format!("{}: no such file ({})", path.display(), why.text()));
        None
    };
    if let Some(folder) = &surroundings.virtual_env
        && let Some(choice) = consider(folder.join("bin").join("python"), Why::VirtualEnv)
    {
        return Ok(choice);
    }
    for folder in surroundings.cwd.ancestors().map(|folder| folder.join(".venv")).filter(|folder| folder.is_dir()) {
        if let Some(choice) = consider(folder.join("bin").join("python"), Why::Folder) {
            return Ok(choice);
        }
    }
    for name in ["python3", "python"] {
        if let Some(path) = on_path(surroundings, name) {
            return Ok(Choice { path, why: Why::Path });
        }
        tried.push(format!("{name}: not on PATH"));
    }
    Err(InterpreterError::None { tried })
}

/// A virtual environment may be named by its folder.
fn in_folder(path: PathBuf) -> PathBuf {
    let inside = path.join("bin").join("python");
    if inside.exists() { inside } else { path }
}

fn on_path(surroundings: &Surroundings, name: &str) -> Option<PathBuf> {
    let path = surroundings.path.as_ref()?;
    std::env::split_paths(path).map(|folder| surroundings.cwd.join(folder).join(name)).find(|path| path.is_file())
}

impl Choice {
    /// Asks the interpreter what it is.
    ///
    /// # Errors
    /// It does not answer, or is too old.
    pub fn ask(&self) -> Result<Interpreter, InterpreterError> {
        self.ask_within(DEADLINE)
    }

    fn ask_within(&self, deadline: Duration) -> Result<Interpreter, InterpreterError> {
        let not_startable =
            |why: String| InterpreterError::NotStartable { path: self.path.clone(), chosen: self.why, why };
        let answer = match launch::ask(self.path.as_os_str(), &["-c", QUESTION], deadline) {
            Ok(answer) => answer,
            Err(NoAnswer::NotStarted(error)) => return Err(not_startable(error.to_string())),
            Err(late @ NoAnswer::Late(_)) => return Err(not_startable(late.to_string())),
        };
        // Others may print at start-up too.
        let said = answer.out.lines().find_map(|line| line.strip_prefix("ranklint:"));
        let Some(said) = said.and_then(|text| serde_json::from_str::<Said>(text).ok()) else {
            let last = answer.err.lines().last().unwrap_or("it says nothing of use");
            let code = answer.code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            return Err(not_startable(format!("it ended with {code}: {last}")));
        };
        let path = if said.executable.is_empty() { self.path.clone() } else { PathBuf::from(said.executable) };
        if (said.version.0, said.version.1) < OLDEST {
            return Err(InterpreterError::TooOld { path, chosen: self.why, version: said.version });
        }
        Ok(Interpreter {
            path,
            why: self.why,
            version: said.version,
            implementation: said.implementation,
            torch: said.torch,
            stacks_signal: said.stacks_signal,
        })
    }
}

impl Interpreter {
    /// The version of torch; empty when it is there and does not say.
    ///
    /// # Errors
    /// It is not installed.
    pub fn torch(&self) -> Result<&str, InterpreterError> {
        let missing = || InterpreterError::NoTorch { path: self.path.clone(), chosen: self.why };
        self.torch.as_deref().ok_or_else(missing)
    }
}

#[derive(Deserialize)]
struct Said {
    executable: String,
    version: (u32, u32, u32),
    implementation: String,
    torch: Option<String>,
    stacks_signal: i32,
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write programs that play an interpreter")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("ranklint-interpreter-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a folder");
            Folder(path)
        }

        fn program(&self, path: &str, text: &str) -> PathBuf {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
            std::fs::write(&path, text).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_nearest_is_taken() {
        let folder = Folder::new("nearest");
        let on_path = folder.program("bin/python3", "");
        let near = folder.program("project/.venv/bin/python", "");
        let active = folder.program("active/bin/python", "");
        let active_python = active.display().to_string();
        let cwd = folder.0.join("project/deep/down");
        let mut surroundings =
            Surroundings { cwd, path: Some(folder.0.join("bin").into_os_string()), ..Surroundings::default() };
        let chosen = |surroundings: &Surroundings| choose(surroundings).map(|choice| (choice.path, choice.why));
        assert_eq!(chosen(&surroundings), Ok((near, Why::Folder)));
        surroundings.virtual_env = Some(folder.0.join("gone"));
        assert_eq!(
            chosen(&surroundings).map(|(_, why)| why),
            Ok(Why::Folder),
            "an environment that is gone is passed by"
        );
        surroundings.virtual_env = Some(folder.0.join("active"));
        assert_eq!(chosen(&surroundings), Ok((active.clone(), Why::VirtualEnv)));
        surroundings.option = Some("python3".into());
        assert_eq!(chosen(&surroundings), Ok((on_path, Why::Option)));
        surroundings.option = Some(folder.0.join("active"));
        assert_eq!(chosen(&surroundings), Ok((active, Why::Option)));
        surroundings.option = Some("./nothing".into());
        let error = choose(&surroundings).expect_err("there is none");
        assert_eq!(error.tried(), ["--python ./nothing: no such program"]);
        surroundings.option = None;
        let command = |word: &str| [word.to_owned(), "train.py".to_owned()];
        let of = |word: &str| choose(&surroundings.clone().for_command(&command(word))).map(|choice| choice.why);
        assert_eq!(
            of("./nothing/python3").map_err(|error| error.tried()),
            Err(vec!["./nothing/python3: no such program".into()])
        );
        assert_eq!(of(&active_python), Ok(Why::Command));
        assert_eq!(of("python3"), Ok(Why::VirtualEnv));
        assert_eq!(of("./run.sh"), Ok(Why::VirtualEnv));
        let nowhere = Surroundings { cwd: folder.0.join("bin"), ..Surroundings::default() };
        assert!(matches!(choose(&nowhere), Err(InterpreterError::None { tried }) if tried.len() == 2));
    }

    #[test]
    fn what_does_not_answer_is_told() {
        let folder = Folder::new("answer");
        let ask = |text: &str, deadline| {
            let path = folder.program("python", text);
            Choice { path, why: Why::Path }.ask_within(Duration::from_millis(deadline))
        };
        let why = |answer: Result<Interpreter, InterpreterError>| match answer {
            Err(InterpreterError::NotStartable { why, .. }) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            why(ask("#!/bin/sh\necho no such library >&2; exit 3\n", 20_000)),
            "it ended with code 3: no such library"
        );
        assert_eq!(why(ask("#!/bin/sh\nsleep 60\n", 50)), "no answer within 0 s");
        assert!(why(ask("#!/no/such/program\n", 20_000)).contains("No such file"));
        let said = r#"{"executable": "/old", "version": [3, 8, 1], "implementation": "cpython", "torch": null, "stacks_signal": 45}"#;
        let old = ask(&format!("#!/bin/sh\necho hello\necho 'ranklint:{said}'\n"), 20_000);
        assert!(matches!(&old, Err(InterpreterError::TooOld { version: (3, 8, 1), .. })), "{old:?}");
        let new =
            ask(&format!("#!/bin/sh\necho 'ranklint:{}'\n", said.replace("8, 1", "9, 1")), 20_000).expect("an answer");
        let error = new.torch().expect_err("there is no torch");
        assert_eq!(error.to_string(), "torch is not installed for /old");
        assert!(error.remedy().contains("/old -m pip install torch"));
    }

    #[test]
    fn a_real_interpreter_answers() {
        let surroundings = Surroundings::of_process(None, Path::new("/"));
        let interpreter = choose(&surroundings).expect("Python is installed").ask().expect("it answers");
        assert!(interpreter.version >= (3, 9, 0));
        #[cfg(target_os = "linux")]
        assert!(interpreter.stacks_signal >= 34 + 11);
    }
}
