//! From what the user writes after `--` to the words that are executed.

use std::ffi::OsString;
use std::path::Path;

use super::{Job, Launcher};

/// The words to execute: `.py` files run with the interpreter, and `python` is the interpreter that was chosen.
pub fn words(command: &[String], interpreter: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = command.iter().map(OsString::from).collect();
    match command.first() {
        Some(first) if is_python(first) => words[0] = interpreter.into(),
        Some(first) if first.ends_with(".py") => words.insert(0, interpreter.into()),
        _ => {}
    }
    words
}

/// Whether a command is known to start ranks itself, so that ranklint should not: `torchrun`, `mpirun`, `accelerate launch`.
pub fn starts_ranks_itself(command: &[String]) -> bool {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let Some(first) = words.first() else { return false };
    match name(first).as_str() {
        "torchrun" | "mpirun" | "mpiexec" | "orterun" | "srun" | "deepspeed" | "horovodrun" => true,
        "accelerate" => words.get(1) == Some(&"launch"),
        _ if is_python(first) => {
            let modules = ["torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch"];
            words.get(1) == Some(&"-m") && words.get(2).is_some_and(|module| modules.contains(module))
        }
        _ => false,
    }
}

/// What a Python command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Program<'c> {
    /// A file, with its arguments.
    File(&'c [String]),
    /// A module, with its arguments.
    Module(&'c [String]),
    /// Code, with its arguments.
    Code(&'c [String]),
    /// No Python, or with options of the interpreter.
    Other,
}

/// Takes a command for what it runs.
pub(super) fn program(command: &[String]) -> Program<'_> {
    let rest = match command {
        [first, ..] if first.ends_with(".py") => return Program::File(command),
        [first, rest @ ..] if is_python(first) => match rest {
            [unbuffered, rest @ ..] if unbuffered == "-u" => rest,
            rest => rest,
        },
        _ => return Program::Other,
    };
    match rest {
        [flag, rest @ ..] if flag == "-m" && !rest.is_empty() => Program::Module(rest),
        [flag, rest @ ..] if flag == "-c" && !rest.is_empty() => Program::Code(rest),
        [first, ..] if !first.starts_with('-') => Program::File(rest),
        _ => Program::Other,
    }
}

/// The words for a launcher that is a program.
pub(super) fn launcher_words(launcher: &Launcher, job: &Job) -> Vec<OsString> {
    let of = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    match launcher {
        Launcher::Torchrun(options) => {
            let mut words = vec![OsString::from(&job.interpreter)];
            words.extend(of(&["-m", "torch.distributed.run", "--nproc-per-node", &job.ranks.to_string()]));
            let meeting = ["nnodes", "rdzv", "master", "standalone", "node-rank"];
            let meets = |option: &String| {
                let name = option.trim_start_matches('-').replace('_', "-");
                meeting.iter().any(|known| name.starts_with(known))
            };
            if !options.iter().any(meets) {
                words.push("--standalone".into());
            }
            words.extend(options.iter().map(OsString::from));
            match program(&job.command) {
                Program::File(rest) => words.extend(rest.iter().map(OsString::from)),
                Program::Module(rest) => {
                    words.push("--module".into());
                    words.extend(rest.iter().map(OsString::from));
                }
                Program::Code(_) | Program::Other => {
                    words.push("--no-python".into());
                    words.extend(self::words(&job.command, &job.interpreter));
                }
            }
            words
        }
        Launcher::Srun(options) => {
            let mut words = of(&["srun", "--kill-on-bad-exit=1", "--ntasks", &job.ranks.to_string()]);
            words.extend(options.iter().map(OsString::from));
            words.extend(self::words(&job.command, &job.interpreter));
            words
        }
        Launcher::Direct | Launcher::Nothing | Launcher::Warm => self::words(&job.command, &job.interpreter),
    }
}

/// `python`, `python3`, `python3.12`; by name only: a path says which one is wanted.
fn is_python(word: &str) -> bool {
    word.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The same, also by path: `/usr/bin/python3`.
pub fn names_python(word: &str) -> bool {
    Path::new(word).file_name().and_then(|name| name.to_str()).is_some_and(is_python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn executed(text: &str) -> String {
        let words = words(&split(text), Path::new("/py"));
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn python_is_the_chosen_one() {
        assert_eq!(executed("train.py --lr 1"), "/py train.py --lr 1");
        assert_eq!(executed("python -m train"), "/py -m train");
        assert_eq!(executed("python3.12 train.py"), "/py train.py");
        assert_eq!(executed("/usr/bin/python3 train.py"), "/usr/bin/python3 train.py");
        assert_eq!(executed("bash run.sh x.py"), "bash run.sh x.py");
        assert_eq!(executed("pythonic"), "pythonic");
    }

    #[test]
    fn launchers_are_known() {
        for command in [
            "torchrun --nproc-per-node 2 a.py",
            "/opt/bin/mpirun a",
            "python -m torch.distributed.run a.py",
            "accelerate launch a.py",
        ] {
            assert!(starts_ranks_itself(&split(command)), "{command}");
        }
        for command in ["python train.py", "accelerate config", "torchrun.py", "python -m torch.utils.collect_env"] {
            assert!(!starts_ranks_itself(&split(command)), "{command}");
        }
    }

    #[test]
    fn torchrun_gets_what_it_needs() {
        let words = |command: &str, options: &str| {
            let options = if options.is_empty() { Vec::new() } else { split(options) };
            let job = Job {
                command: split(command),
                ranks: 4,
                launcher: Launcher::Nothing,
                interpreter: "/py".into(),
                cwd: "/".into(),
                environment: Vec::new(),
                rank_environment: Vec::new(),
                probe: None,
                folder: "/".into(),
                stacks_signal: 45,
            };
            let words = launcher_words(&Launcher::Torchrun(options), &job);
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        let head = "/py -m torch.distributed.run --nproc-per-node 4";
        assert_eq!(words("train.py -x", ""), format!("{head} --standalone train.py -x"));
        assert_eq!(words("python -u train.py", ""), format!("{head} --standalone train.py"));
        assert_eq!(words("python -m train", ""), format!("{head} --standalone --module train"));
        assert_eq!(
            words("bash run.sh", "--nnodes=2 --rdzv-endpoint=h:1"),
            format!("{head} --nnodes=2 --rdzv-endpoint=h:1 --no-python bash run.sh")
        );
        assert!(Launcher::Torchrun(split("--max_restarts=3")).restarts());
        assert!(!Launcher::Torchrun(split("--max-restarts=0")).restarts());
    }
}
