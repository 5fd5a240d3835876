//! What programs fetch from elsewhere, and to which place.

use crate::base::Symbol;
use crate::graph::communication::argument;
use crate::model::{Call, Expr, ExprId, File};

/// Functions that fetch something from elsewhere, or unpack it, and write it in place as it comes; with the place and the
/// name of the argument that says where.
const FETCHES: [(&str, usize, &str); 10] = [
    ("urllib.request.urlretrieve", 1, "filename"),
    ("shutil.unpack_archive", 1, "extract_dir"),
    ("torchvision.datasets.utils.download_url", 1, "root"),
    ("torchvision.datasets.utils.download_and_extract_archive", 1, "download_root"),
    ("torchvision.datasets.utils.download_file_from_google_drive", 1, "root"),
    ("torchvision.datasets.utils.extract_archive", 1, "to_path"),
    ("torchaudio.datasets.utils.extract_archive", 1, "to_path"),
    ("gdown.download", 1, "output"),
    ("wget.download", 1, "out"),
    ("composer.utils.get_file", 1, "destination"),
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

/// The last names of what fetches something.
pub(super) fn names_of_fetches() -> impl Iterator<Item = &'static str> {
    let functions = FETCHES.iter().map(|(name, ..)| name.rsplit('.').next().unwrap_or(name));
    functions.chain(NAMES_OF_DATA_SETS)
}

/// The place that a call fetches something to.
pub(super) fn fetched(model: &File, known: Symbol, call: Call) -> Option<ExprId> {
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
