//! `write-outside-workdir`: files, folders and links created outside the working directory.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, Symbol};
use crate::finding::{Finding, Fix, Severity};
use crate::graph::Program;
use crate::model::{Constant, Expr, ExprId, File, each_expression};
use crate::rules::calls::{CallSite, argument, calls_named, last_name, symbols};
use crate::rules::fixes::{Safety, fix, replacement, text_at};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::folder::{Place, outside};
use super::helpers::Helpers;
use super::{graded, spelled};

/// The rule.
pub static RULE: Rule = Rule {
    name: "write-outside-workdir",
    group: Group::Filesystem,
    summary: "a file, folder or link is created outside the working directory",
    severity: Severity::Warning,
    rows: &[],
    verify: Some(Probe::Writes),
    page: include_str!("../../../rules/filesystem/write-outside-workdir.md"),
    check: Check::File(check),
};

/// When a call writes.
#[derive(Clone, Copy)]
enum When {
    /// Whenever it is made.
    Always,
    /// When the mode, at that position and by that name, says so; reading when it is not given.
    Mode(usize, &'static str),
    /// When the flags at that position do.
    Flags(usize),
}

/// Where a call takes the path it writes to.
struct Sink {
    position: Option<usize>,
    keyword: &'static str,
    when: When,
}

const fn sink(position: usize, keyword: &'static str) -> Sink {
    Sink { position: Some(position), keyword, when: When::Always }
}

const fn opener(mode: usize) -> Sink {
    Sink { position: Some(0), keyword: "file", when: When::Mode(mode, "mode") }
}

/// Functions by dotted name.
static FUNCTIONS: &[(&str, Sink)] = &[
    ("open", opener(1)),
    ("io.open", opener(1)),
    ("codecs.open", Sink { position: Some(0), keyword: "filename", when: When::Mode(1, "mode") }),
    ("gzip.open", Sink { position: Some(0), keyword: "filename", when: When::Mode(1, "mode") }),
    ("bz2.open", Sink { position: Some(0), keyword: "filename", when: When::Mode(1, "mode") }),
    ("lzma.open", Sink { position: Some(0), keyword: "filename", when: When::Mode(1, "mode") }),
    ("aiofiles.open", opener(1)),
    ("tarfile.open", Sink { position: Some(0), keyword: "name", when: When::Mode(1, "mode") }),
    ("zipfile.ZipFile", opener(1)),
    ("h5py.File", Sink { position: Some(0), keyword: "name", when: When::Mode(1, "mode") }),
    ("os.open", Sink { position: Some(0), keyword: "path", when: When::Flags(1) }),
    ("os.makedirs", sink(0, "name")),
    ("os.mkdir", sink(0, "path")),
    ("os.mkfifo", sink(0, "path")),
    ("os.rename", sink(1, "dst")),
    ("os.renames", sink(1, "new")),
    ("os.replace", sink(1, "dst")),
    ("os.symlink", sink(1, "dst")),
    ("os.link", sink(1, "dst")),
    ("shutil.copy", sink(1, "dst")),
    ("shutil.copy2", sink(1, "dst")),
    ("shutil.copyfile", sink(1, "dst")),
    ("shutil.copytree", sink(1, "dst")),
    ("shutil.move", sink(1, "dst")),
    ("shutil.make_archive", sink(0, "base_name")),
    ("shutil.unpack_archive", sink(1, "extract_dir")),
    ("logging.FileHandler", sink(0, "filename")),
    ("logging.handlers.RotatingFileHandler", sink(0, "filename")),
    ("logging.handlers.TimedRotatingFileHandler", sink(0, "filename")),
    ("logging.handlers.WatchedFileHandler", sink(0, "filename")),
    ("logging.basicConfig", Sink { position: None, keyword: "filename", when: When::Always }),
    ("sqlite3.connect", sink(0, "database")),
    ("shelve.open", sink(0, "filename")),
    ("urllib.request.urlretrieve", sink(1, "filename")),
    ("torch.save", sink(1, "f")),
    ("torch.jit.save", sink(1, "f")),
    ("torch.onnx.export", sink(2, "f")),
    ("torch.distributed.FileStore", sink(0, "file_name")),
    ("torch.distributed.init_process_group", sink(1, "init_method")),
    ("torch.distributed.checkpoint.save", sink(1, "checkpoint_id")),
    ("torch.distributed.checkpoint.FileSystemWriter", sink(0, "path")),
    ("torch.utils.tensorboard.SummaryWriter", sink(0, "log_dir")),
    ("tensorboardX.SummaryWriter", sink(0, "logdir")),
    ("torchvision.utils.save_image", sink(1, "fp")),
    ("safetensors.torch.save_file", sink(1, "filename")),
    ("safetensors.numpy.save_file", sink(1, "filename")),
    ("numpy.save", sink(0, "file")),
    ("numpy.savez", sink(0, "file")),
    ("numpy.savez_compressed", sink(0, "file")),
    ("numpy.savetxt", sink(0, "fname")),
    ("numpy.memmap", Sink { position: Some(0), keyword: "filename", when: When::Mode(2, "mode") }),
    ("joblib.dump", sink(1, "filename")),
    ("cv2.imwrite", sink(0, "filename")),
    ("imageio.imwrite", sink(0, "uri")),
    ("soundfile.write", sink(0, "file")),
];

/// Methods whose receiver is the path.
const PATH_METHODS: &[&str] = &["write_text", "write_bytes", "touch", "mkdir", "symlink_to", "hardlink_to", "open"];

/// Methods, whatever they are called on, whose argument is a path they write to.
static ARGUMENT_METHODS: &[(&str, Sink)] = &[
    ("to_csv", sink(0, "path_or_buf")),
    ("to_json", sink(0, "path_or_buf")),
    ("to_parquet", sink(0, "path")),
    ("to_pickle", sink(0, "path")),
    ("to_excel", sink(0, "excel_writer")),
    ("to_feather", sink(0, "path")),
    ("to_hdf", sink(0, "path_or_buf")),
    ("tofile", sink(0, "fid")),
    ("savefig", sink(0, "fname")),
    ("save_pretrained", sink(0, "save_directory")),
    ("save_to_disk", sink(0, "dataset_path")),
    ("export_chrome_trace", sink(0, "path")),
    ("export_stacks", sink(0, "path")),
    ("_dump_snapshot", sink(0, "filename")),
    ("save", sink(0, "fp")),
];

struct Tables {
    names: FxHashSet<Symbol>,
    functions: FxHashMap<Symbol, &'static Sink>,
    methods: FxHashMap<Symbol, &'static Sink>,
    path_methods: FxHashSet<Symbol>,
    moves: FxHashSet<Symbol>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let moves = ["rename", "replace"];
    let last = |dotted: &'static str| dotted.rsplit('.').next().unwrap_or(dotted);
    let names = FUNCTIONS.iter().chain(ARGUMENT_METHODS).map(|(dotted, _)| last(dotted));
    Tables {
        names: symbols(names.chain(PATH_METHODS.iter().copied()).chain(moves)),
        functions: FUNCTIONS.iter().map(|(name, sink)| (Symbol::new(name), sink)).collect(),
        methods: ARGUMENT_METHODS.iter().map(|(name, sink)| (Symbol::new(name), sink)).collect(),
        path_methods: symbols(PATH_METHODS.iter().copied()),
        moves: symbols(moves),
    }
});

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    let mut helpers = Helpers::default();
    let mut reported = FxHashSet::default();
    for call in calls_named(program, file, &TABLES.names) {
        let Some(path) = written_path(program, model, call) else { continue };
        match outside(program, call, path) {
            Some(place) => {
                reported.insert(call.expr);
                let fix = relative(program, model, call, path);
                report(program, model, call, place, findings, |finding| Finding { fix, ..finding });
            }
            None => helpers.note(model, call, path),
        }
    }
    for (call, path, write) in helpers.calls(program, file) {
        if let Some(mut place) = outside(program, call, path)
            && reported.insert(call.expr)
        {
            place.confidence = place.confidence.min(crate::finding::Confidence::Medium);
            let write = write.site(model);
            report(program, model, call, place, findings, |finding| {
                finding.because(write, "the path is written to here")
            });
        }
    }
}

/// The expression that names the file or folder a call creates or changes; absent when the call only reads.
fn written_path(program: &Program, model: &File, call: CallSite) -> Option<ExprId> {
    let tables = &*TABLES;
    let callee = call.callee(program);
    if let Some(sink) = callee.and_then(|callee| tables.functions.get(&callee)) {
        return sink.path(program, model, call);
    }
    let Expr::Attribute { value: receiver, name } = model.expr(call.call.callee) else { return None };
    // A dotted name that leads into some other library's function or this program's own is not a path's method.
    let is_object = callee.is_none()
        || matches!(model.expr(receiver), Expr::Name(_) | Expr::Attribute { .. })
            && program.constant(call.file, call.function, receiver).is_some();
    if tables.path_methods.contains(&name) && is_object {
        let writes = name.as_str() != "open" || writes_by_mode(program, model, call, 0, "mode");
        return writes.then_some(receiver);
    }
    if tables.moves.contains(&name) && callee.is_none() {
        let args = model.list(call.call.args);
        return (args.len() == 1 && model.keywords(call.call).is_empty()).then(|| args[0]);
    }
    let sink = tables.methods.get(&name).filter(|_| callee.is_none())?;
    sink.path(program, model, call)
}

impl Sink {
    fn path(&self, program: &Program, model: &File, call: CallSite) -> Option<ExprId> {
        let writes = match self.when {
            When::Always => true,
            When::Mode(position, name) => writes_by_mode(program, model, call, position, name),
            When::Flags(position) => writes_by_flags(model, call, position),
        };
        writes.then(|| argument(model, call.call, self.position, self.keyword)).flatten()
    }
}

fn writes_by_mode(program: &Program, model: &File, call: CallSite, position: usize, name: &str) -> bool {
    let Some(mode) = argument(model, call.call, Some(position), name) else { return false };
    match program.constant(call.file, call.function, mode) {
        Some(Constant::Str(mode)) => mode.contains(['w', 'a', 'x', '+']),
        _ => false,
    }
}

fn writes_by_flags(model: &File, call: CallSite, position: usize) -> bool {
    let Some(flags) = argument(model, call.call, Some(position), "flags") else { return false };
    let mut writes = false;
    each_expression(model, flags, &mut |id, _| {
        let name = last_name(model, id);
        writes |= name.is_some_and(|name| matches!(name.as_str(), "O_CREAT" | "O_WRONLY" | "O_RDWR" | "O_APPEND"));
    });
    writes
}

/// `"/tmp/name"` becomes `"name"`, where the path is spelled in the call and nowhere else in the file: whoever reads it back
/// would have to follow.
fn relative(program: &Program, model: &File, call: CallSite, path: ExprId) -> Option<Fix> {
    let Expr::Str(value) = model.expr(path) else { return None };
    let name = ["/tmp/", "/var/tmp/"].into_iter().find_map(|folder| value.as_str().strip_prefix(folder))?;
    if name.is_empty() || name.contains(['/', '\\', '"', '\'', '{']) {
        return None;
    }
    let site = call.site_of(model, path);
    let spelled = text_at(program, site)?;
    let quote = spelled.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let text = &*program.file(call.file).text;
    let whole = format!("{quote}{value}{quote}") == spelled;
    if !whole || text.matches(value.as_str()).count() != 1 {
        return None;
    }
    let edit = replacement(call.file, site.span, format!("{quote}{name}{quote}"));
    Some(fix(Safety::Unsafe, format!("write `{name}` in the working directory"), vec![edit]))
}

fn report(
    program: &Program,
    model: &File,
    call: CallSite,
    place: Place,
    findings: &mut Findings,
    more: impl FnOnce(Finding) -> Finding,
) {
    let name = call.last_name(model).map_or("this call", Symbol::as_str);
    let shown = place.shown();
    let finding = Findings::new_finding(
        &RULE,
        call.site(model),
        program.symbol_of(call.file, call.function),
        format!("`{name}` writes to `{shown}`, outside the working directory"),
    )
    .confidence(place.confidence)
    .help("write below the working directory, in a folder the code names itself and creates with `os.makedirs(…, exist_ok=True)`");
    findings.push(graded(program, call.file, more(spelled(finding, place.defined, &shown))));
}
