//! Several processes of ours that run arms at once. A supervisor owns the signals and the orphans of its process, and takes
//! one job at a time; so each helper has one, and gets its orders here as JSON lines.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use super::super::launch::Helper;
use super::super::os::process;
use super::super::supervise::Supervisor;
use super::outcome::{ArmOutcome, ArmReport};
use super::plan::ArmKind;
use super::run::{Load, Order, Settings, Starter, run_arm};

/// What a warm parent imports: what the reference runtime and its compiled step use, also behind the scenes.
const WARM_MODULES: [&str; 5] = [
    "torch",
    "torch.distributed",
    "torch.distributed._functional_collectives",
    "torch._dynamo",
    "ranklint.matrix.program",
];

/// What it imports besides where arms compile: the compiler's first use takes seconds, and every fork would pay them.
const COMPILER: &str = "ranklint.matrix.compiler";

/// How many helpers import that, and run all arms that compile.
const COMPILING: usize = 2;

/// How long importing torch may take.
const WARM_UP: Duration = Duration::from_secs(180);

/// How many arms that measure run at once: they mostly sleep.
const MEASURING: usize = 3;

/// What a helper says to its settings.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    /// Why it cannot work; empty when it can.
    why_not: String,
    /// What to do about it.
    remedy: String,
}

/// How the helpers are started.
#[derive(Clone, Copy, Debug)]
pub struct Crew<'c> {
    /// Our own program.
    pub program: &'c Path,
    /// The arguments that make it a helper; it calls [`serve`].
    pub arguments: &'c [&'c str],
    /// How many there are at most.
    pub size: usize,
}

/// As many helpers as keep a machine with so many cores busy with so many arms. Ranks wait for each other most of the time,
/// and each helper has to import torch before it is of use.
pub fn size(cores: usize, arms: usize) -> usize {
    (2 * cores).min(arms.div_ceil(4)).clamp(1, 16)
}

impl Crew<'_> {
    /// Runs all orders, and tells each report as it comes, with the place of its order. Mutants begin, since those that hang
    /// take time but no work; what measures comes last, when nothing else runs.
    pub fn run(&self, settings: &Settings, orders: &[Order], told: &(dyn Fn(usize, ArmReport) + Sync)) {
        let of = |load: Load| {
            let mut indices: Vec<usize> = (0..orders.len()).filter(|at| orders[*at].load == load).collect();
            indices.sort_by_key(|at| orders[*at].arm.kind != ArmKind::Mutant);
            VecDeque::from(indices)
        };
        let compiling = Mutex::new(of(Load::Compiles));
        let compiles = !of(Load::Compiles).is_empty();
        let mut helpers: Vec<Option<Helper>> = (0..self.size).map(|_| None).collect();
        for (queue, size) in [(of(Load::Works), self.size), (of(Load::Measures), self.size.min(MEASURING))] {
            let stage_scale = stage_scale();
            let queue = Mutex::new(queue);
            std::thread::scope(|scope| {
                for (place, helper) in helpers.iter_mut().enumerate().take(size) {
                    let (queue, compiling) = (&queue, &compiling);
                    let settings = Settings { compiles: compiles && place < COMPILING, ..settings.clone() };
                    let pop = |queue: &Mutex<VecDeque<usize>>| queue.lock().expect("nobody panics with it").pop_front();
                    scope.spawn(move || {
                        let compiled = || if settings.compiles { pop(compiling) } else { None };
                        while let Some(at) = compiled().or_else(|| pop(queue)) {
                            let order = Order { stage_scale, ..orders[at].clone() };
                            told(at, self.ask(helper, &settings, &order));
                        }
                    });
                }
            });
        }
    }

    fn ask(&self, helper: &mut Option<Helper>, settings: &Settings, order: &Order) -> ArmReport {
        let blocked = |why: String, remedy: String| order.report(ArmOutcome::Blocked { tried: vec![why], remedy });
        let again = || "run it again with `--launcher direct`".to_owned();
        if helper.is_none() {
            match self.start(settings) {
                Ok((started, hello)) if hello.why_not.is_empty() => *helper = Some(started),
                Ok((_, hello)) => return blocked(hello.why_not, hello.remedy),
                Err(error) => return blocked(format!("a helper cannot be started: {error}"), again()),
            }
        }
        let asked = helper.as_mut().map(|helper| told::<ArmReport>(helper, order));
        match asked {
            Some(Ok(report)) => report,
            Some(Err(error)) => {
                *helper = None;
                blocked(format!("the helper that ran it has failed: {error}"), again())
            }
            None => unreachable!("it was started above"),
        }
    }

    fn start(&self, settings: &Settings) -> io::Result<(Helper, Hello)> {
        let arguments: Vec<&OsStr> = self.arguments.iter().map(OsStr::new).collect();
        let mut helper = Helper::start(self.program, &arguments, &settings.cwd)?;
        let hello = told(&mut helper, settings)?;
        Ok((helper, hello))
    }
}

fn told<T: for<'d> Deserialize<'d>>(helper: &mut Helper, order: &impl Serialize) -> io::Result<T> {
    let line = serde_json::to_string(order)?;
    Ok(serde_json::from_str(&helper.ask(&line)?)?)
}

/// How much longer simulated stages should be than on a quiet machine, so that they outweigh its delays; 1 to 5.
fn stage_scale() -> f64 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    #[cfg(target_os = "linux")]
    let load = rustix::system::sysinfo().loads[0] as f64 / 65_536.0;
    #[cfg(not(target_os = "linux"))]
    let load = 1.0;
    (load / cores as f64).clamp(1.0, 5.0)
}

/// A helper's life: settings first, then orders, until the input ends. When that happens in the middle of an arm, whoever
/// gave the order is gone, and the arm is ended as by SIGTERM.
///
/// # Errors
/// The input or the output fails, or is none of ours.
pub fn serve(input: impl BufRead + Send + 'static, output: &mut dyn Write) -> io::Result<()> {
    let is_busy = Arc::new(AtomicBool::new(false));
    let lines = listen(input, Arc::clone(&is_busy));
    let Ok(first) = lines.recv() else { return Ok(()) };
    let settings: Settings = serde_json::from_str(&first)?;
    let (mut supervisor, hello) = match prepared(&settings) {
        Ok(supervisor) => (Some(supervisor), Hello { why_not: String::new(), remedy: String::new() }),
        Err((why_not, remedy)) => (None, Hello { why_not, remedy }),
    };
    say(output, &hello)?;
    let Some(supervisor) = &mut supervisor else { return Ok(()) };
    for line in lines {
        let order: Order = serde_json::from_str(&line)?;
        is_busy.store(true, Ordering::SeqCst);
        let report = run_arm(supervisor, &settings, &order);
        is_busy.store(false, Ordering::SeqCst);
        say(output, &report)?;
    }
    Ok(())
}

fn say(output: &mut dyn Write, answer: &impl Serialize) -> io::Result<()> {
    writeln!(output, "{}", serde_json::to_string(answer)?)?;
    output.flush()
}

fn listen(input: impl BufRead + Send + 'static, is_busy: Arc<AtomicBool>) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in input.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        if is_busy.load(Ordering::SeqCst)
            && let Some(own) = process::stat(std::process::id())
        {
            process::send(own.id, Signal::TERM);
        }
    });
    lines
}

fn prepared(settings: &Settings) -> Result<Supervisor, (String, String)> {
    let mut supervisor = Supervisor::start()
        .map_err(|error| (format!("cannot watch over processes: {error}"), "run it elsewhere".to_owned()))?;
    let failed = |error: super::super::launch::LaunchError| (error.to_string(), error.remedy().to_owned());
    supervisor.guard(&settings.interpreter, &settings.root).map_err(failed)?;
    if settings.starter == Starter::Warm {
        let compiler = settings.compiles.then_some(COMPILER);
        let modules: Vec<&str> = WARM_MODULES.into_iter().chain(compiler).collect();
        supervisor.warm_up(&settings.interpreter, &settings.root, &modules, WARM_UP).map_err(failed)?;
    }
    Ok(supervisor)
}
