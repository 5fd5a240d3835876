//! Calls that fail when somebody else has done the same a moment before.

use rustc_hash::FxHashSet;

use super::fetches::{fetched, names_of_fetches};
use super::names::names_asked;
use crate::base::{FileId, Symbol};
use crate::graph::communication::argument;
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, LocalFunction};

/// The argument that lets a call pass, and its place.
type Lenient = Option<(&'static str, usize)>;

/// A function of a library, the argument that lets it pass, and whether it makes something.
const FUNCTIONS: [(&str, Lenient, bool); 11] = [
    ("os.mkdir", None, true),
    ("os.makedirs", Some(("exist_ok", 2)), true),
    ("os.symlink", None, true),
    ("os.remove", None, false),
    ("os.unlink", None, false),
    ("os.rmdir", None, false),
    ("os.removedirs", None, false),
    ("os.rename", None, false),
    ("os.replace", None, false),
    ("shutil.rmtree", Some(("ignore_errors", 1)), false),
    ("shutil.move", None, false),
];

/// The same, of methods of paths.
const METHODS: [(&str, Lenient, bool); 5] = [
    ("mkdir", Some(("exist_ok", 2)), true),
    ("symlink_to", None, true),
    ("unlink", Some(("missing_ok", 0)), false),
    ("rmdir", None, false),
    ("rename", None, false),
];

/// Functions that write a file whole, with the place and the name of the argument that says where.
const WRITES: [(&str, usize, &str); 20] = [
    ("torch.save", 1, "f"),
    ("torch.jit.save", 1, "f"),
    ("joblib.dump", 1, "filename"),
    ("scipy.sparse.save_npz", 0, "file"),
    ("scipy.io.savemat", 0, "file_name"),
    ("numpy.save", 0, "file"),
    ("numpy.savez", 0, "file"),
    ("numpy.savez_compressed", 0, "file"),
    ("numpy.savetxt", 0, "fname"),
    ("safetensors.torch.save_file", 1, "filename"),
    ("shutil.copy", 1, "dst"),
    ("shutil.copy2", 1, "dst"),
    ("shutil.copyfile", 1, "dst"),
    ("torchaudio.save", 0, "uri"),
    ("torchvision.utils.save_image", 1, "fp"),
    ("torchvision.io.write_video", 0, "filename"),
    ("soundfile.write", 0, "file"),
    ("cv2.imwrite", 0, "filename"),
    ("imageio.imwrite", 0, "uri"),
    ("imageio.mimsave", 0, "uri"),
];

/// Functions that open a file, with the name of the argument that says which, and the place of the mode.
pub(super) const OPENERS: [(&str, &str, usize); 7] = [
    ("io.open", "file", 1),
    ("gzip.open", "filename", 1),
    ("codecs.open", "filename", 1),
    ("zipfile.ZipFile", "file", 1),
    ("tarfile.open", "name", 1),
    ("h5py.File", "name", 1),
    ("numpy.memmap", "filename", 2),
];

/// The same by name alone: of paths, or of what is written to one.
const WRITING: [&str; 3] = ["open", "write_text", "write_bytes"];

/// The same, of tables and data sets, with the name of the argument that says where.
const OF_TABLES: [(&str, &str); 5] = [
    ("to_csv", "path_or_buf"),
    ("to_parquet", "path"),
    ("to_json", "path_or_buf"),
    ("to_pickle", "path"),
    ("save_to_disk", "dataset_path"),
];

/// The same, of models; settings and vocabularies have it as well, of which all ranks have the same to say.
const OF_MODELS: (&str, &str) = ("save_pretrained", "save_directory");

/// Arguments of that by which it is told which rank writes, or how.
const BY_ONE: [&str; 2] = ["is_main_process", "save_function"];

/// Methods of file systems, which are told the path, with the argument that lets them pass, and whether they make something.
const OF_SYSTEMS: [(&str, Lenient, bool); 4] =
    [("mkdir", None, true), ("makedirs", Some(("exist_ok", 1)), true), ("rm", None, false), ("rmdir", None, false)];

/// How a path is dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Something is made there: it fails where something is there.
    Makes,
    /// What is there is removed, or moved: it fails where nothing is there.
    Removes,
    /// What is there is written anew, whatever it was.
    Writes,
    /// Something is fetched to it from elsewhere, unless it is there already.
    Fetches,
}

impl Does {
    /// Whether files come to be at the path, or change.
    pub fn writes(self) -> bool {
        matches!(self, Does::Writes | Does::Fetches)
    }
}

/// What is done to a path.
#[derive(Clone, Copy)]
pub(super) struct Deed {
    /// The name of what is called.
    pub call: Symbol,
    /// The call.
    pub expr: ExprId,
    /// The path.
    pub path: ExprId,
    /// How it is dealt with.
    pub does: Does,
    /// The argument that would let the call pass.
    pub lenient: Option<&'static str>,
}

/// The calls that are looked for.
pub(super) struct Deeds {
    names: FxHashSet<Symbol>,
}

impl Deeds {
    pub fn new() -> Deeds {
        let functions = FUNCTIONS.iter().map(|(name, ..)| name.rsplit('.').next().unwrap_or(name));
        let methods = METHODS.iter().chain(&OF_SYSTEMS).map(|(name, ..)| *name);
        let names = functions.chain(methods).chain(names_of_writes()).map(Symbol::new);
        Deeds { names: names.collect() }
    }

    /// Whether a call of that name may be one.
    pub fn are_named(&self, name: Symbol) -> bool {
        self.names.contains(&name)
    }

    /// What a call does to a path, if it fails where somebody else has done it.
    pub fn deed(
        &self,
        program: &Program,
        file: FileId,
        function: LocalFunction,
        expr: ExprId,
        call: Call,
    ) -> Option<Deed> {
        let model = &program.file(file).model;
        let name = model.last_name(call.callee).filter(|&name| self.are_named(name))?;
        // Something spread over the arguments may let it pass.
        if model.keywords(call).iter().any(|keyword| keyword.name.is_none()) {
            return None;
        }
        let known = program.resolve(file, function, call.callee);
        if let Some((does, path)) = filled(model, known, call) {
            return Some(Deed { call: name, expr, path, does, lenient: None });
        }
        let of_library = known.and_then(|known| FUNCTIONS.iter().find(|(name, ..)| *name == known.as_str()));
        if let Some(&(_, passes, creates)) = of_library {
            let path = *model.list(call.args).first()?;
            return deed(model, call, (name, expr, path), (passes, creates));
        }
        if known.is_some() {
            return None;
        }
        let Expr::Attribute { value, .. } = model.expr(call.callee) else { return None };
        let told = model.list(call.args).first().copied().filter(|&told| may_be_path(model, told));
        let of_system = OF_SYSTEMS.iter().find(|(method, ..)| *method == name.as_str());
        if let Some((path, &(_, passes, creates))) = told.zip(of_system) {
            return deed(model, call, (name, expr, path), (passes, creates));
        }
        let &(_, passes, creates) = METHODS.iter().find(|(method, ..)| *method == name.as_str())?;
        deed(model, call, (name, expr, value), (passes, creates))
    }
}

/// The last names of what writes a file whole, or fetches it.
pub(super) fn names_of_writes() -> impl Iterator<Item = &'static str> {
    let openers = OPENERS.iter().map(|(name, ..)| *name);
    let functions = WRITES.iter().map(|(name, ..)| *name).chain(openers);
    let tables = OF_TABLES.iter().map(|(name, _)| *name);
    let functions = functions.map(|name| name.rsplit('.').next().unwrap_or(name));
    functions.chain(WRITING).chain(tables).chain([OF_MODELS.0]).chain(names_of_fetches())
}

/// The path at which a call writes a file whole, or to which it fetches something.
pub(super) fn filled(model: &File, known: Option<Symbol>, call: Call) -> Option<(Does, ExprId)> {
    let written = written(model, known, call).map(|path| (Does::Writes, path));
    written.or_else(|| Some((Does::Fetches, fetched(model, known?, call)?)))
}

/// What a call does, unless it is told to pass over what is there, or is not.
fn deed(
    model: &File,
    call: Call,
    (name, expr, path): (Symbol, ExprId, ExprId),
    (passes, creates): (Lenient, bool),
) -> Option<Deed> {
    let told = passes.and_then(|(argument, at)| {
        let mut keywords = model.keywords(call).iter();
        let by_name = keywords.find(|keyword| keyword.name.is_some_and(|name| name.as_str() == argument));
        by_name.map(|keyword| keyword.value).or_else(|| model.list(call.args).get(at).copied())
    });
    let strict = told.is_none_or(|told| model.expr(told) == Expr::Bool(false));
    let does = if creates { Does::Makes } else { Does::Removes };
    strict.then_some(Deed { call: name, expr, path, does, lenient: passes.map(|(argument, _)| argument) })
}

/// Where `to_csv` takes its mode.
const CSV_MODE: usize = 8;

/// The path of the file that a call writes whole.
fn written(model: &File, known: Option<Symbol>, call: Call) -> Option<ExprId> {
    let of = |at: usize, name: &str| argument(model, call, Some(at), Symbol::new(name));
    let named = known.and_then(|known| WRITES.iter().find(|(name, ..)| *name == known.as_str()));
    if let Some(&(_, at, name)) = named {
        return of(at, name);
    }
    let opener = known.and_then(|known| OPENERS.iter().find(|(name, ..)| *name == known.as_str()));
    if let Some(&(_, name, mode)) = opener {
        return of(0, name).filter(|_| is_anew(model, of(mode, "mode")));
    }
    match model.expr(call.callee) {
        Expr::Name(name) if name.as_str() == "open" => of(0, "file").filter(|_| is_anew(model, of(1, "mode"))),
        Expr::Attribute { name, .. }
            if name.as_str() == "open" && is_anew(model, of(1, "mode")) && of(0, "path").is_some() =>
        {
            of(0, "path")
        }
        Expr::Attribute { value, name } if name.as_str() == OF_MODELS.0 => {
            let is_model = names_asked(model, value)
                .iter()
                .any(|name| ["model", "module"].iter().any(|part| name.as_str().contains(part)));
            let told = model
                .keywords(call)
                .iter()
                .any(|keyword| keyword.name.is_some_and(|name| BY_ONE.contains(&name.as_str())));
            of(0, OF_MODELS.1).filter(|_| is_model && !told)
        }
        Expr::Attribute { value, name } if known.is_none() => match name.as_str() {
            "write_text" | "write_bytes" => Some(value),
            "open" => Some(value).filter(|_| is_anew(model, of(0, "mode"))),
            "to_csv" if of(CSV_MODE, "mode").is_some_and(|mode| !is_anew(model, Some(mode))) => None,
            method => {
                let &(_, argument) = OF_TABLES.iter().find(|(name, _)| *name == method)?;
                of(0, argument)
            }
        },
        _ => None,
    }
}

/// Whether something may be a path that a file system is told: no mode, and no switch.
fn may_be_path(model: &File, told: ExprId) -> bool {
    !matches!(model.expr(told), Expr::Int(_) | Expr::Bool(_) | Expr::None)
}

/// Whether a call opens a file for data as they lie in memory, `open(path, "wb")`: settings and logs are text.
pub(super) fn is_for_data(model: &File, opening: ExprId) -> bool {
    let Expr::Call(call) = model.expr(opening) else { return false };
    let call = model.call(call);
    let keywords = model.keywords(call).iter().map(|keyword| keyword.value);
    let mut modes = model.list(call.args).iter().copied().chain(keywords).filter(|&mode| is_anew(model, Some(mode)));
    modes.any(|mode| matches!(model.expr(mode), Expr::Str(mode) if mode.as_str().contains('b')))
}

/// Whether a file is opened to be written from its beginning.
fn is_anew(model: &File, mode: Option<ExprId>) -> bool {
    let is_mode = |mode: &str| mode.contains('w') && mode.chars().all(|sign| "wbt+".contains(sign));
    mode.is_some_and(|mode| matches!(model.expr(mode), Expr::Str(mode) if is_mode(mode.as_str())))
}
