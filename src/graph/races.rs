//! Files that every rank makes or removes behind a question whether they are there: all of them ask, one is the fastest,
//! and the others fail at what it has done, while it goes on to the next collective and waits.

mod acts;
mod alone;
mod common;
mod conditions;
mod dealt;
mod deeds;
mod elsewhere;
mod evidence;
mod fetches;
mod hooks;
mod made;
mod made_before;
mod names;
mod parts;
mod picked;
mod places;
mod reliance;
mod shared_out;
mod siblings;
mod silenced;
mod single;
mod spelled;
mod switches;
mod touches;
mod unawaited;
mod waits;
mod words;
mod written_out;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{ExprId, File, FunctionKind, LocalFunction};

use super::program::Program;
pub(super) use alone::Scripts;
use alone::is_where_nobody_is_told_apart;
pub(super) use common::Common;
use common::Known;
pub(super) use conditions::{may_ask_for_rank, parts_of};
use dealt::is_of_a_dealt_list;
pub use deeds::Does;
use deeds::{Deed, Deeds, is_for_data};
pub use evidence::Together;
use made::Made;
use made_before::{is_fetched_by_one, is_made_before, may_lie_in_another};
pub(super) use names::assigned;
use places::text_of;
pub use reliance::Reliance;
use siblings::Unguarded;
pub(super) use single::{asks_for_first_among, lets_in_first};
use spelled::folders_of;
use touches::{Touch, Touches};
pub use unawaited::UnawaitedFile;
use unawaited::unawaited_files;
pub use words::is_tool;
use words::{is_of_an_element, is_own_path, listing_behind, may_know_of_ranks, path_asked_for, speaks_of_ranks};
pub(super) use words::{serves, serves_alone};
use written_out::is_written_out;

/// Methods that may themselves start the other processes of the job, from a script that has come so far alone.
const LAUNCHES: [&str; 4] = ["fit", "validate", "test", "predict"];

/// Operations that scripts of one process issue as well, beside those: what they say of other ranks is not enough for a file
/// that is written.
const ALSO_ALONE: [&str; 5] = ["train", "evaluate", "deepspeed_init", "accelerate_prepare", "metric_sync"];

/// A file that the ranks make, or remove, in a race.
#[derive(Clone, Debug)]
pub struct FileRace {
    /// The function that does it.
    pub function: FunctionId,
    /// What it calls: `makedirs`.
    pub call: Symbol,
    /// Where.
    pub site: Site,
    /// The call itself.
    pub expr: ExprId,
    /// What the call does.
    pub does: Does,
    /// The argument that would let the call pass: `exist_ok`.
    pub lenient: Option<&'static str>,
    /// Where the ranks ask whether it is there.
    pub asked: Site,
    /// Where functions call this one that all ranks run; none where it shows that itself.
    pub callers: Vec<Site>,
    /// A function that makes one of those calls, and where it is called by one that all ranks run.
    pub outer: Option<(FunctionId, Site)>,
    /// A question for the first rank that stands over another call of the function, where there is one.
    pub guarded: Option<Site>,
    /// What shows that several ranks run it.
    pub together: Together,
    /// How sure it is that there are several ranks.
    pub confidence: Confidence,
}

/// The races of the files, and the files of one rank that the others do not wait for.
pub(super) fn on_files(common: &mut Common<'_>, files: &[FileId]) -> (Vec<FileRace>, Vec<UnawaitedFile>) {
    let races = file_races(common, files);
    (races, unawaited_files(common, files))
}

fn file_races(common: &mut Common<'_>, files: &[FileId]) -> Vec<FileRace> {
    let program = common.program;
    let deeds = Deeds::new();
    let mut out = Vec::new();
    for &file in files {
        let path = &program.file(file).path;
        if program.file(file).is_test() || !program.in_focus(file) {
            continue;
        }
        let model = &program.file(file).model;
        for (index, definition) in model.functions.iter().enumerate() {
            if definition.skeleton || !definition.mentions.iter().any(|&name| deeds.are_named(name)) {
                continue;
            }
            let local = LocalFunction(index as u32);
            let function = program.function_id(file, local);
            let mut tried = tried(common, &deeds, file, local);
            tried.retain(|Tried { deed, .. }| match deed.does {
                Does::Makes => !is_made_before(common, function, deed),
                Does::Fetches => !is_fetched_by_one(common, function, deed),
                Does::Writes => !is_written_out(model, local, deed.expr),
                Does::Removes => true,
            });
            let mut callers = None;
            for Tried { deed, asked, by_few } in tried {
                if let Some(few) = by_few {
                    let together = Together::LetsInFew(Site { file, span: model.span(few) });
                    out.push(race(program, function, deed, asked, together));
                    continue;
                }
                let writes = deed.does.writes();
                let known = common.done_by_all(function, &deed);
                // A checkpoint is written by programs of one process as well; to scripts that convert something joining a job
                // is a formality.
                let is_script = definition.kind == FunctionKind::Module;
                let sure = |known: &Known| match known.together {
                    Together::Issues(..) | Together::Issued(..) => true,
                    Together::Joins(_) => !is_script,
                    Together::SharesOut(_) | Together::CalledBack(..) => true,
                    _ => false,
                };
                let known = match known.filter(|known| deed.does != Does::Writes || sure(known)) {
                    None if deed.does == Does::Writes => common.guards_another(function, deed).map(Known::by_itself),
                    known => known,
                };
                let Some(known) = known else {
                    if let Some(found) = matches!(deed.does, Does::Writes | Does::Removes)
                        .then(|| common.unguarded(function, deed.path))
                        .flatten()
                    {
                        let Unguarded { call, guard, together } = found;
                        let race = race(program, function, deed, asked, together);
                        out.push(FileRace { callers: vec![call], guarded: Some(guard), ..race });
                    }
                    continue;
                };
                let Known { call, outer, together } = known;
                let callers = match call {
                    Some(_) => callers.get_or_insert_with(|| common.called_by_all(function)).clone(),
                    None => Vec::new(),
                };
                let of_nodes = matches!(together, Together::TellsNodesApart(_));
                let of_launcher = is_of_launcher(&together);
                let by_framework = matches!(together, Together::Issues(op, _) | Together::Issued(op, _)
                    if LAUNCHES.contains(&op.as_str()) || ALSO_ALONE.contains(&op.as_str()));
                let of_tool = is_tool(path) || is_tool(definition.name.as_str());
                let knows_of_others = writes && common.guards_another(function, deed).is_some();
                let of_little = of_tool && !matches!(together, Together::CalledBack(..))
                    || serves(model)
                    || writes
                        && !knows_of_others
                        && (is_opened(model, deed) && !is_cache(common, file, local, deed)
                            || by_framework
                            || deed.does == Does::Fetches && !speaks_of_ranks(program, known.file(file)))
                    || writes && is_where_nobody_is_told_apart(common, file, local, deed.expr)
                    || common.is_of_scripts_alone(function)
                    // What a library prepares below, it prepares for a process of its own as well.
                    || by_framework && !may_know_of_ranks(program, known.file(file))
                    || call.is_some_and(|call| is_tool(&program.file(call.file).path))
                    || deed.does == Does::Makes && may_lie_in_another(common, function, &deed);
                let confidence =
                    if of_little || of_nodes || of_launcher { Confidence::Low } else { Confidence::Medium };
                out.push(FileRace { callers, outer, confidence, ..race(program, function, deed, asked, together) });
            }
        }
    }
    out
}

/// A race for what a function does, of medium confidence, with nothing said of who calls it.
fn race(program: &Program, function: FunctionId, deed: Deed, asked: ExprId, together: Together) -> FileRace {
    let (file, _) = program.locate(function);
    let site = |expr: ExprId| Site { file, span: program.file(file).model.span(expr) };
    FileRace {
        function,
        call: deed.call,
        site: site(deed.expr),
        expr: deed.expr,
        does: deed.does,
        lenient: deed.lenient,
        asked: site(asked),
        callers: Vec::new(),
        outer: None,
        guarded: None,
        together,
        confidence: Confidence::Medium,
    }
}

/// Whether what shows that there are several ranks may start them itself.
fn is_of_launcher(together: &Together) -> bool {
    matches!(together, Together::Issues(op, _) if LAUNCHES.contains(&op.as_str()))
}

/// Whether a file is only opened to be written, as text: settings and logs are, of which each rank has the same to say.
fn is_opened(model: &File, deed: Deed) -> bool {
    deed.call.as_str() == "open" && !is_for_data(model, deed.expr)
}

/// Whether the function asks for the file before it writes it, and reads it as well: whoever comes while another one writes
/// reads what is there so far.
fn is_cache(common: &mut Common<'_>, file: FileId, function: LocalFunction, deed: Deed) -> bool {
    let program = common.program;
    let model = &program.file(file).model;
    let touches = Touches::new();
    let calls = common.calls(file, function);
    let path = text_of(program, file, deed.path);
    let is_it = |other: ExprId| text_of(program, file, other) == path;
    let asks = |&condition: &ExprId| {
        let mut asked = parts_of(model, condition).into_iter();
        asked.any(|part| path_asked_for(program, file, function, part).is_some_and(is_it))
    };
    let reads = |made: &Made| {
        let mut touched = touches.of(program, file, function, made.call).into_iter();
        touched.any(|(touch, at)| touch == Touch::Reads && is_it(at))
    };
    let writes = calls.iter().find(|made| made.expr == deed.expr);
    writes.is_some_and(|made| made.conditions.iter().any(asks)) && calls.iter().any(reads)
}

/// Whether who finds nothing at a path does what it does for that reason: there, or on the way to what it makes in that folder.
fn is_found_missing(program: &Program, file: FileId, asked: ExprId, deed: Deed) -> bool {
    let is_it = |path: ExprId| text_of(program, file, path) == text_of(program, file, asked);
    match deed.does {
        Does::Makes => folders_of(program, file, deed.path).any(is_it),
        Does::Removes | Does::Writes | Does::Fetches => is_it(deed.path),
    }
}

/// What a function does to a path.
struct Tried {
    deed: Deed,
    /// The question whether something is there.
    asked: ExprId,
    /// What lets in the first few ranks alone.
    by_few: Option<ExprId>,
}

/// What a function does to files that it has asked for, on every rank that comes there, or on more than one.
fn tried(common: &mut Common<'_>, deeds: &Deeds, file: FileId, function: LocalFunction) -> Vec<Tried> {
    let program = common.program;
    let model = &program.file(file).model;
    let calls = common.calls(file, function);
    let made = calls.iter().filter(|made| made.by_all || made.by_few.is_some());
    let tried = made.filter_map(|&Made { expr, call, ref conditions, by_few, .. }| {
        let deed = deeds.deed(program, file, function, expr, call)?;
        let asks = |condition: &ExprId| {
            let mut asked = parts_of(model, *condition)
                .into_iter()
                .filter_map(|part| path_asked_for(program, file, function, part));
            asked.any(|asked| is_found_missing(program, file, asked, deed))
        };
        let writes = deed.does.writes();
        if writes && is_of_an_element(model, function, deed.path) {
            return None;
        }
        let asked = match conditions.iter().copied().rfind(asks) {
            _ if writes => deed.path,
            None if deed.does == Does::Removes => listing_behind(program, file, function, deed.path)?,
            asked => asked?,
        };
        let is_own = is_own_path(model, function, deed.path) || is_of_a_dealt_list(model, function, deed.path);
        (!is_own).then_some(Tried { deed, asked, by_few })
    });
    tried.collect()
}
