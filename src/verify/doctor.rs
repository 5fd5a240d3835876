//! What the machine offers to runs: the facts, and for each whether it is well, what will be skipped for its sake, or what to
//! do about it.
//!
//! The interpreter that would run the ranks answers one script; whoever calls knows how to run it.

use serde::Deserialize;

/// What the interpreter is asked.
const QUESTION: &str = include_str!("doctor.py");
/// The answer is the line that begins so: importing torch may print.
const MARK: &str = "ranklint:";
/// The oldest Python that the probe runs on.
const OLDEST: (u32, u32) = (3, 9);
/// Open files below which a handful of ranks gets into trouble.
const FEW_FILES: u64 = 256;
/// Processes below which a handful of ranks gets into trouble.
const FEW_PROCESSES: u64 = 128;
/// Shared memory below which a handful of ranks gets into trouble, and below which loaders and NCCL may.
const LITTLE_SHARED: (u64, u64) = (16 << 20, 256 << 20);
/// Memory that a rank takes once it has imported torch.
const RANK: u64 = 300 << 20;

/// What is known before anything is asked.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// Path of the interpreter that would run the ranks, and why it is this one; or why there is none.
    pub interpreter: Result<(&'a str, &'a str), &'a str>,
    /// The folder that ranklint unpacks into; empty where none is known.
    pub cache: &'a str,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// In the order in which they are to be shown.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What: `torch`.
    pub topic: &'static str,
    /// What was found, for people.
    pub found: String,
    /// What it means.
    pub state: State,
}

/// What a fact means for runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing to do.
    Well,
    /// Some checks will be skipped.
    Skipped {
        /// Which, and why.
        why: String,
    },
    /// Runs will fail.
    Problem {
        /// What to do.
        remedy: String,
    },
}

impl Diagnosis {
    /// Whether runs will fail.
    pub fn has_problems(&self) -> bool {
        self.checks.iter().any(|check| matches!(check.state, State::Problem { .. }))
    }

    fn add(&mut self, topic: &'static str, found: impl Into<String>, state: State) {
        self.checks.push(Check { topic, found: found.into(), state });
    }
}

/// What the interpreter answers.
#[derive(Deserialize)]
struct Answer {
    executable: String,
    version: (u32, u32, u32),
    torch: Torch,
    loopback: String,
    host: String,
    limits: Limits,
    shared_memory: Option<u64>,
    memory: Option<u64>,
    cores: u32,
    leftovers: Vec<Leftover>,
    cache: String,
}

#[derive(Deserialize)]
struct Torch {
    #[serde(default)]
    version: String,
    #[serde(default)]
    backends: Vec<String>,
    #[serde(default)]
    devices: Vec<String>,
    /// Why a group of one rank could not be made with gloo; empty when it could.
    #[serde(default)]
    gloo: String,
    #[serde(default)]
    missing: bool,
    #[serde(default)]
    error: String,
}

#[derive(Deserialize)]
struct Limits {
    files: Option<u64>,
    processes: Option<u64>,
}

#[derive(Deserialize)]
struct Leftover {
    pid: u32,
    command: String,
}

/// Looks at everything. `ask` runs a Python text with the interpreter and returns what it prints.
pub fn examine(about: &About<'_>, ask: &mut dyn FnMut(&str) -> Result<String, String>) -> Diagnosis {
    let mut diagnosis = Diagnosis { checks: Vec::new() };
    let (path, why) = match about.interpreter {
        Ok(known) => known,
        Err(error) => {
            let remedy = "install Python 3.9 or later, or name one with --python".to_owned();
            diagnosis.add("python", error, State::Problem { remedy });
            return diagnosis;
        }
    };
    let answer = match ask(&script(about.cache)).and_then(|printed| answer(&printed)) {
        Ok(answer) => answer,
        Err(error) => {
            let remedy =
                format!("see whether `{path} -c 'import torch'` works, or name another interpreter with --python");
            diagnosis.add("python", format!("{path} ({why}) did not answer: {error}"), State::Problem { remedy });
            return diagnosis;
        }
    };
    python(&answer, why, &mut diagnosis);
    torch(&answer.torch, &mut diagnosis);
    network(&answer, &mut diagnosis);
    machine(&answer, &mut diagnosis);
    leftovers(&answer.leftovers, &mut diagnosis);
    let state = match answer.cache.is_empty() {
        true => State::Well,
        false => State::Problem { remedy: "set XDG_CACHE_HOME to a folder of your own that can be written".to_owned() },
    };
    let found = if answer.cache.is_empty() { about.cache } else { &answer.cache };
    diagnosis.add("cache folder", found, state);
    diagnosis
}

/// The script, with what it needs to know in front. A JSON text of a JSON text is a Python literal.
fn script(cache: &str) -> String {
    let about = serde_json::json!({ "cache": cache }).to_string();
    // `from __future__` has to come first, and a docstring may stand before it.
    let literal = serde_json::Value::from(about).to_string();
    QUESTION.replacen("\nimport json\n", &format!("\nABOUT = {literal}\nimport json\n"), 1)
}

fn answer(printed: &str) -> Result<Answer, String> {
    let line = printed.lines().rev().find_map(|line| line.strip_prefix(MARK));
    let line = line.ok_or_else(|| match printed.trim().lines().last() {
        Some(last) => format!("it printed `{last}`"),
        None => "it printed nothing".to_owned(),
    })?;
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn python(answer: &Answer, why: &str, diagnosis: &mut Diagnosis) {
    let (major, minor, patch) = answer.version;
    let found = format!("{major}.{minor}.{patch} at {} ({why})", answer.executable);
    let state = if (major, minor) >= OLDEST {
        State::Well
    } else {
        State::Problem { remedy: format!("use Python {}.{} or later: --python", OLDEST.0, OLDEST.1) }
    };
    diagnosis.add("python", found, state);
}

fn torch(torch: &Torch, diagnosis: &mut Diagnosis) {
    if torch.version.is_empty() {
        let remedy = if torch.missing {
            "install torch into this environment, or name another interpreter with --python".to_owned()
        } else {
            "repair the installation: importing torch has to work first".to_owned()
        };
        diagnosis.add("torch", format!("cannot be imported: {}", torch.error), State::Problem { remedy });
        return;
    }
    let state = if torch.error.is_empty() {
        State::Well
    } else {
        State::Problem { remedy: format!("repair the installation of torch: {}", torch.error) }
    };
    diagnosis.add("torch", &torch.version, state);
    let has = |name: &str| torch.backends.iter().any(|known| known == name);
    let backends = if torch.backends.is_empty() { "none".to_owned() } else { torch.backends.join(", ") };
    let state = match (has("gloo"), torch.gloo.is_empty()) {
        (true, true) => State::Well,
        (true, false) => State::Problem {
            remedy: format!(
                "gloo finds no network interface ({}): let the name of this machine point to it in /etc/hosts, or set \
                 GLOO_SOCKET_IFNAME=lo",
                torch.gloo
            ),
        },
        (false, _) => State::Problem { remedy: "use a build of torch with gloo: the usual wheels have it".to_owned() },
    };
    diagnosis.add("backends", backends, state);
    let (found, state) = match (torch.devices.as_slice(), has("nccl")) {
        ([], _) => ("none".to_owned(), skipped("everything that needs CUDA or NCCL")),
        (devices, true) => (named(devices), State::Well),
        (devices, false) => (named(devices), skipped("everything that needs NCCL: this build of torch has none")),
    };
    diagnosis.add("CUDA devices", found, state);
}

fn skipped(why: &str) -> State {
    State::Skipped { why: why.to_owned() }
}

/// `4 × H100, 1 × T4`.
fn named(devices: &[String]) -> String {
    let runs = devices.chunk_by(|one, other| one == other);
    runs.map(|run| format!("{} × {}", run.len(), run[0])).collect::<Vec<_>>().join(", ")
}

fn network(answer: &Answer, diagnosis: &mut Diagnosis) {
    let (found, state) = match (answer.loopback.is_empty(), answer.host.is_empty()) {
        (false, _) => (
            format!("127.0.0.1 does not work: {}", answer.loopback),
            State::Problem {
                remedy: "ranks meet over 127.0.0.1: bring the loopback interface up (`ip link set lo up`)".to_owned(),
            },
        ),
        // ranklint tells ranks to meet over the loopback interface, so this concerns other launchers only.
        (true, false) => (
            format!("127.0.0.1 works; the name of this machine does not lead to it ({})", answer.host),
            skipped("launchers that meet by host name: let /etc/hosts name this machine"),
        ),
        (true, true) => ("127.0.0.1 works".to_owned(), State::Well),
    };
    diagnosis.add("network", found, state);
}

fn machine(answer: &Answer, diagnosis: &mut Diagnosis) {
    let memory = answer.memory.map_or_else(String::new, |memory| format!(", {} of memory free", size(memory)));
    let ranks = answer.memory.map_or(u64::MAX, |memory| memory / RANK);
    let state = match ranks {
        0 | 1 => {
            State::Problem { remedy: format!("two ranks with torch take about {}: free some memory", size(2 * RANK)) }
        }
        2..8 => State::Skipped { why: format!("runs of more than {ranks} ranks may not fit into memory") },
        _ => State::Well,
    };
    diagnosis.add("machine", format!("{} cores{memory}", answer.cores), state);
    let limit = |limit: Option<u64>| limit.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string());
    let few = |limit: Option<u64>, few: u64, remedy: &str| match limit {
        Some(limit) if limit < few => State::Problem { remedy: remedy.to_owned() },
        _ => State::Well,
    };
    let Limits { files, processes } = answer.limits;
    diagnosis.add("open files", limit(files), few(files, FEW_FILES, "raise the limit: ulimit -n 4096"));
    diagnosis.add("processes", limit(processes), few(processes, FEW_PROCESSES, "raise the limit: ulimit -u 4096"));
    let Some(shared) = answer.shared_memory else { return };
    let more = "--shm-size=1g of the container";
    let (found, state) = match shared {
        _ if shared < LITTLE_SHARED.0 => {
            (size(shared), State::Problem { remedy: format!("allow for more shared memory: {more}") })
        }
        _ if shared < LITTLE_SHARED.1 => {
            (format!("{}; loaders with workers and NCCL may want more ({more})", size(shared)), State::Well)
        }
        _ => (size(shared), State::Well),
    };
    diagnosis.add("/dev/shm", found, state);
}

fn leftovers(leftovers: &[Leftover], diagnosis: &mut Diagnosis) {
    if leftovers.is_empty() {
        diagnosis.add("earlier runs", "no process left behind", State::Well);
        return;
    }
    let pids: Vec<String> = leftovers.iter().map(|process| process.pid.to_string()).collect();
    let shown: Vec<String> =
        leftovers.iter().take(3).map(|process| format!("{} {}", process.pid, process.command)).collect();
    let found = format!("{} left behind: {}", leftovers.len(), shown.join("; "));
    diagnosis.add("earlier runs", found, State::Problem { remedy: format!("end them: kill -9 {}", pids.join(" ")) });
}

fn size(bytes: u64) -> String {
    match bytes {
        0..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_knows_what_it_needs_to() {
        let script = script("/home/it's \"mine\"/ö");
        let line = script.lines().find(|line| line.starts_with("ABOUT = ")).expect("it is put in");
        assert_eq!(line, r#"ABOUT = "{\"cache\":\"/home/it's \\\"mine\\\"/ö\"}""#);
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!((size(64 << 20), size(3 << 29)), ("64 MiB".to_owned(), "1.5 GiB".to_owned()));
    }
}
