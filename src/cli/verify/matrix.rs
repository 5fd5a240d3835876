//! `ranklint verify matrix`: the operator matrix, and what `ranklint verify` runs by itself.

use std::fmt::Write as _;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use crate::report::matrix::{MatrixFormat, Rendering, render_matrix};
use crate::verify::interpreter::Interpreter;
use crate::verify::matrix::crew::{self, Crew};
use crate::verify::matrix::plan::{Plan, PlanError, REFERENCE};
use crate::verify::matrix::run::{Order, Settings, Starter};
use crate::verify::matrix::select::{Chosen, Wanted, choose, devices, unknown};
use crate::verify::matrix::{ArmOutcome, ArmReport, MatrixReport, RowReport};
use crate::verify::{folder, matrix::outcome::Counts};

use crate::cli::args::{Color, MatrixArguments, MatrixLauncherName};
use crate::cli::{Exit, Failure, complain, print, project, terminal, written};

use super::{interpreter_with_torch, package_root};

/// The arguments that make this program a helper.
const HELPER: [&str; 2] = ["verify", "matrix-helper"];

/// What `ranklint verify` runs where nothing is configured: tranche 0 on the reference runtime.
pub(super) fn run_default() -> Result<Exit, Failure> {
    run(&MatrixArguments {
        row: Vec::new(),
        tranche: vec![0],
        arm: Vec::new(),
        ranks: false,
        runtime: None,
        launcher: None,
        timeout_scale: 1.0,
        jobs: None,
        list: false,
        python: None,
        log_dir: None,
        output_format: MatrixFormat::Text,
        output: Vec::new(),
        color: Color::Auto,
    })
}

/// Runs the command.
pub(super) fn run(arguments: &MatrixArguments) -> Result<Exit, Failure> {
    let began = Instant::now();
    let cwd = project::working_directory()?;
    let interpreter = interpreter_with_torch(arguments.python.as_deref(), &[], &cwd)?;
    let root = package_root()?;
    let plan = Plan::load(&interpreter.path, &root).map_err(|error| no_plan(&error))?;
    let wanted =
        Wanted { rows: arguments.row.clone(), tranches: arguments.tranche.clone(), arms: arguments.arm.clone() };
    if let Some(complaint) = unknown(&plan, &wanted) {
        return Err(Failure::usage(complaint, Some("`ranklint verify matrix --list` lists them".to_owned())));
    }
    let runtime = arguments.runtime.as_deref().unwrap_or(REFERENCE);
    if !runtime.contains(':') {
        let help = "name it as its module, a colon, and its class".to_owned();
        return Err(Failure::usage(format!("`{runtime}` is no MODULE:CLASS"), Some(help)));
    }
    let chosen = choose(&plan, &wanted, runtime, devices());
    if arguments.list {
        return print(&list(&chosen));
    }
    let settings = settings(arguments, &interpreter, root, &cwd, &plan, runtime)?;
    let reports = run_chosen(arguments, &settings, &chosen)?;
    let report = MatrixReport {
        runtime: runtime.to_owned(),
        launcher: settings.starter.name().to_owned(),
        interpreter: interpreter.path.display().to_string(),
        torch: interpreter.torch.clone().unwrap_or_default(),
        wall_us: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
        command: again(arguments),
        rows: rows(&chosen, reports),
    };
    show(arguments, &report, &cwd)?;
    Ok(exit_of(report.counts()))
}

/// A helper's life.
pub(super) fn help() -> Result<Exit, Failure> {
    let input = BufReader::new(std::io::stdin());
    crew::serve(input, &mut std::io::stdout().lock()).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Exit::Clean)
}

fn no_plan(error: &PlanError) -> Failure {
    let help = "`ranklint verify doctor` tells what is amiss".to_owned();
    Failure { exit: Exit::CannotRun, message: error.to_string(), help: Some(help) }
}

fn settings(
    arguments: &MatrixArguments,
    interpreter: &Interpreter,
    root: PathBuf,
    cwd: &Path,
    plan: &Plan,
    runtime: &str,
) -> Result<Settings, Failure> {
    let starter = match arguments.launcher {
        Some(MatrixLauncherName::Direct) => Starter::Direct,
        Some(MatrixLauncherName::Warm) => Starter::Warm,
        Some(MatrixLauncherName::Torchrun) => Starter::Torchrun,
        None if cfg!(target_os = "linux") => Starter::Warm,
        None => Starter::Direct,
    };
    let folder = match &arguments.log_dir {
        Some(folder) => cwd.join(folder),
        None => folder::make().map_err(|error| Failure {
            exit: Exit::CannotRun,
            message: format!("there is no place for the logs: {error}"),
            help: Some("name a folder with --log-dir".to_owned()),
        })?,
    };
    Ok(Settings {
        interpreter: interpreter.path.clone(),
        stacks_signal: interpreter.stacks_signal,
        root,
        cwd: cwd.to_owned(),
        runtime: runtime.to_owned(),
        starter,
        compiles: false,
        scale: arguments.timeout_scale,
        start_limit: plan.start_limit,
        folder,
    })
}

/// Runs what can be run; the reports lie in the order of the arms that are.
fn run_chosen(
    arguments: &MatrixArguments,
    settings: &Settings,
    chosen: &[Chosen<'_>],
) -> Result<Vec<ArmReport>, Failure> {
    let all = chosen.iter().flat_map(|row| &row.arms);
    let orders: Vec<Order> = all.filter(|(_, why_not)| why_not.is_none()).map(|(order, _)| order.clone()).collect();
    let program = std::env::current_exe()
        .map_err(|error| Failure::internal(format!("cannot tell where our own program is: {error}")))?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let size = arguments.jobs.map_or_else(|| crew::size(cores, orders.len()), |jobs| jobs as usize);
    let message =
        format!("{} arms, {size} at once, {} launcher, {}", orders.len(), settings.starter.name(), settings.runtime);
    complain("matrix", &message, None);
    let reports = Mutex::new(vec![None; orders.len()]);
    let told = |at: usize, report: ArmReport| {
        if matches!(report.outcome, ArmOutcome::Failed { .. } | ArmOutcome::Blocked { .. }) {
            let text = format!("{} {}: {}", orders[at].harness, report.name, report.outcome.why());
            complain(report.outcome.name(), &text, None);
        }
        reports.lock().expect("nobody panics with it")[at] = Some(report);
    };
    Crew { program: &program, arguments: &HELPER, size }.run(settings, &orders, &told);
    let reports = reports.into_inner().expect("nobody panics with it");
    Ok(reports.into_iter().map(|report| report.expect("every order is answered")).collect())
}

fn rows(chosen: &[Chosen<'_>], reports: Vec<ArmReport>) -> Vec<RowReport> {
    let mut reports = reports.into_iter();
    let mut of_arm = |(order, why_not): &(Order, Option<String>)| match why_not {
        Some(why) => order.report(ArmOutcome::Skipped { why: why.clone() }),
        None => reports.next().expect("every order is answered"),
    };
    let of_row = |chosen: &Chosen<'_>| RowReport {
        id: chosen.row.id.clone(),
        title: chosen.row.title.clone(),
        surface: chosen.row.surface.clone(),
        tranche: chosen.row.tranche,
        harness: chosen.row.harness.clone(),
        rules: chosen.row.rules.clone(),
        arms: chosen.arms.iter().map(&mut of_arm).collect(),
    };
    chosen.iter().map(of_row).collect()
}

/// The rows and their arms, for people.
fn list(chosen: &[Chosen<'_>]) -> String {
    let mut text = String::new();
    for Chosen { row, arms } in chosen {
        let _ = writeln!(text, "{:<6} tranche {}  {:<38} {}", row.id, row.tranche, row.harness, row.title);
        for (order, why_not) in arms {
            let why_not = why_not.as_ref().map(|why| format!("  skipped: {why}")).unwrap_or_default();
            let line = format!("       {:<22} {}{why_not}", order.name(), order.arm.mutant);
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text
}

/// The command that does the same again.
fn again(arguments: &MatrixArguments) -> Vec<String> {
    let mut words: Vec<String> = ["ranklint", "verify", "matrix"].map(str::to_owned).to_vec();
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
    arguments.row.iter().for_each(|row| option("--row", row));
    arguments.tranche.iter().for_each(|tranche| option("--tranche", &tranche.to_string()));
    arguments.arm.iter().for_each(|arm| option("--arm", arm));
    if let Some(runtime) = &arguments.runtime {
        option("--runtime", runtime);
    }
    match arguments.launcher {
        Some(MatrixLauncherName::Direct) => option("--launcher", "direct"),
        Some(MatrixLauncherName::Torchrun) => option("--launcher", "torchrun"),
        Some(MatrixLauncherName::Warm) | None => {}
    }
    words
}

fn show(arguments: &MatrixArguments, report: &MatrixReport, cwd: &Path) -> Result<(), Failure> {
    let rendering = |color| Rendering { report, ranks: arguments.ranks, color };
    for (format, path) in &arguments.output {
        let mut text = Vec::new();
        let rendered = render_matrix(*format, &rendering(false), &mut text)
            .and_then(|()| super::show::write(&cwd.join(path), &text));
        rendered.map_err(|error| {
            let help = "look at the folder's permissions and at the free space".to_owned();
            Failure::usage(format!("cannot write `{}`: {error}", path.display()), Some(help))
        })?;
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let rendering = rendering(terminal::color(arguments.color));
    written(render_matrix(arguments.output_format, &rendering, &mut out).and_then(|()| out.flush()))
}

/// A skip is no pass: where nothing was run, nothing is clean.
fn exit_of(counts: Counts) -> Exit {
    match counts {
        Counts { failed: 1.., .. } | Counts { survivors: 1.., .. } => Exit::Findings,
        Counts { blocked: 1.., .. } | Counts { passed: 0, .. } => Exit::CannotRun,
        _ => Exit::Clean,
    }
}
