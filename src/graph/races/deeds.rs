//! Calls that fail when somebody else has done the same a moment before.

use rustc_hash::FxHashSet;

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
const WRITES: [(&str, usize, &str); 13] = [
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

/// Functions that fetch something from elsewhere, or unpack it, and write it in place as it comes; with the place and the
/// name of the argument that says where.
const FETCHES: [(&str, usize, &str); 7] = [
    ("urllib.request.urlretrieve", 1, "filename"),
    ("shutil.unpack_archive", 1, "extract_dir"),
    ("torchvision.datasets.utils.download_url", 1, "root"),
    ("torchvision.datasets.utils.download_and_extract_archive", 1, "download_root"),
    ("torchvision.datasets.utils.download_file_from_google_drive", 1, "root"),
    ("torchvision.datasets.utils.extract_archive", 1, "to_path"),
    ("torchaudio.datasets.utils.extract_archive", 1, "to_path"),
];

/// Libraries whose data sets fetch themselves to the folder that they are given first, and whether they have to be told to.
const DATA_SETS: [(&str, Option<&str>); 3] = [
    ("torchvision.datasets.", Some("download")),
    ("torchaudio.datasets.", Some("download")),
    ("torch_geometric.datasets.", None),
];

/// The names of those that are widely used.
const NAMES_OF_DATA_SETS: [&str; 40] = [
    "MNIST",
    "FashionMNIST",
    "KMNIST",
    "EMNIST",
    "QMNIST",
    "CIFAR10",
    "CIFAR100",
    "STL10",
    "SVHN",
    "USPS",
    "Omniglot",
    "Caltech101",
    "Caltech256",
    "CelebA",
    "Country211",
    "DTD",
    "EuroSAT",
    "FGVCAircraft",
    "Flowers102",
    "Food101",
    "GTSRB",
    "INaturalist",
    "OxfordIIITPet",
    "PCAM",
    "Places365",
    "StanfordCars",
    "SUN397",
    "VOCDetection",
    "VOCSegmentation",
    "LIBRISPEECH",
    "LIBRITTS",
    "SPEECHCOMMANDS",
    "Planetoid",
    "Reddit",
    "Reddit2",
    "TUDataset",
    "OGB_MAG",
    "Flickr",
    "QM9",
    "PPI",
];

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
        let names = functions.chain(METHODS.iter().map(|(name, ..)| *name)).chain(names_of_writes()).map(Symbol::new);
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
        let &(_, passes, creates) = METHODS.iter().find(|(method, ..)| *method == name.as_str())?;
        deed(model, call, (name, expr, value), (passes, creates))
    }
}

/// The last names of what writes a file whole, or fetches it.
pub(super) fn names_of_writes() -> impl Iterator<Item = &'static str> {
    let openers = OPENERS.iter().map(|(name, ..)| *name);
    let functions = WRITES.iter().chain(&FETCHES).map(|(name, ..)| *name).chain(openers);
    let tables = OF_TABLES.iter().map(|(name, _)| *name);
    functions.map(|name| name.rsplit('.').next().unwrap_or(name)).chain(WRITING).chain(tables).chain(NAMES_OF_DATA_SETS)
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

/// The place that a call fetches something to.
fn fetched(model: &File, known: Symbol, call: Call) -> Option<ExprId> {
    let known = known.as_str();
    let of = |at: usize, name: &str| argument(model, call, Some(at), Symbol::new(name));
    if let Some(&(_, at, name)) = FETCHES.iter().find(|(name, ..)| *name == known) {
        return of(at, name);
    }
    let &(_, told) = DATA_SETS.iter().find(|(library, _)| known.starts_with(library))?;
    let is_told = |told: &str| {
        let mut keywords = model.keywords(call).iter();
        keywords.any(|keyword| {
            keyword.name.is_some_and(|name| name.as_str() == told) && model.expr(keyword.value) == Expr::Bool(true)
        })
    };
    told.is_none_or(is_told).then(|| of(0, "root")).flatten()
}

/// Whether a file is opened to be written from its beginning.
fn is_anew(model: &File, mode: Option<ExprId>) -> bool {
    let is_mode = |mode: &str| mode.contains('w') && mode.chars().all(|sign| "wbt+".contains(sign));
    mode.is_some_and(|mode| matches!(model.expr(mode), Expr::Str(mode) if is_mode(mode.as_str())))
}
