//! Folders of the editor as projects: one for each configuration, as the nearest one holds for a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::project::{self, ConfigFrom, Project, Refusal};
use crate::source::Found;

/// Names of files that may hold a configuration.
pub(super) const CONFIGURATIONS: [&str; 2] = ["ranklint.toml", "pyproject.toml"];

/// A project of the workspace and its files on disk.
pub(super) struct Place {
    pub project: Project,
    /// The folder in which its files lie; the working directory, or one below with a configuration of its own. Absent for
    /// a single file.
    pub folder: Option<PathBuf>,
    pub found: Vec<Found>,
}

/// The projects in a folder of the workspace. Files under `others` belong to those.
pub(super) fn places(folder: &Path, others: &[PathBuf]) -> Result<Vec<Place>, Refusal> {
    let project = Project::open(ConfigFrom::Nearest(Path::new("")), folder)?;
    let mut found = project::files(&[PathBuf::from(".")], folder, &project.config, false)?;
    let inner: Vec<&PathBuf> = others.iter().filter(|other| *other != folder && other.starts_with(folder)).collect();
    found.retain(|file| !inner.iter().any(|other| file.location.starts_with(other)));
    let mut places = Vec::new();
    for below in configured(folder, &found) {
        let Ok(config) = Config::discover(&below, folder) else {
            places.push(Place {
                project: Project::open(ConfigFrom::Nearest(&below), folder)?,
                folder: None,
                found: Vec::new(),
            });
            continue;
        };
        if config.origin == project.config.origin {
            continue;
        }
        let own = Project::open(ConfigFrom::Nearest(&below), folder)?;
        let mut files = project::files(std::slice::from_ref(&below), folder, &own.config, false)?;
        files.retain(|file| !inner.iter().any(|other| file.location.starts_with(other)));
        places.push(Place { project: own, folder: Some(below), found: files });
    }
    // The deepest configuration wins.
    let roots: Vec<PathBuf> = places.iter().filter_map(|place| place.folder.clone()).collect();
    for place in &mut places {
        let own = place.folder.clone();
        place.found.retain(|file| nearest(&roots, &file.location) == own.as_ref());
    }
    found.retain(|file| nearest(&roots, &file.location).is_none());
    places.push(Place { project, folder: Some(folder.to_path_buf()), found });
    Ok(places)
}

/// The project of a file that lies in no folder of the workspace.
pub(super) fn single(path: &Path) -> Result<Place, Refusal> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let project = Project::open(ConfigFrom::Nearest(path), folder)?;
    let here = [path.to_path_buf()];
    // A file that was never saved is not found, and is still the project. A folder under the name of a document is no reason to
    // read whatever lies in it.
    let found = match path.is_dir() {
        true => Vec::new(),
        false => project::files(&here, folder, &project.config, false).unwrap_or_default(),
    };
    Ok(Place { project, folder: None, found })
}

fn nearest<'r>(roots: &'r [PathBuf], path: &Path) -> Option<&'r PathBuf> {
    roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.components().count())
}

/// Folders below `folder`, on the way to one of its files, that hold a file in which a configuration may be.
fn configured(folder: &Path, found: &[Found]) -> BTreeSet<PathBuf> {
    let mut seen: BTreeSet<&Path> = BTreeSet::new();
    for file in found {
        let mut at = file.location.parent();
        while let Some(here) = at.filter(|here| *here != folder && here.starts_with(folder)) {
            if !seen.insert(here) {
                break;
            }
            at = here.parent();
        }
    }
    let holds = |at: &&Path| CONFIGURATIONS.iter().any(|name| at.join(name).is_file());
    seen.into_iter().filter(holds).map(Path::to_path_buf).collect()
}
