//! What a project declares about itself, beside its wrappers: plain facts that rules may ask for.

/// A place outside the working directory that a project may write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedWrite {
    /// A path or path prefix, such as `/dev/shm/ipc`.
    pub path: String,
    /// Why it is allowed; never empty.
    pub reason: String,
}

/// Facts a project declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFacts {
    /// Glob patterns of environment keys that only tests set. Default: `SCOPE_TEST_*`.
    pub test_keys: Vec<String>,
    /// Environment keys that are compared across ranks before anything starts.
    pub parity_keys: Vec<String>,
    /// Places outside the working directory that may be written to.
    pub allowed_writes: Vec<AllowedWrite>,
    /// Path globs of modules that own the control-plane envelope: broadcasts there are the envelope itself.
    pub envelope_modules: Vec<String>,
    /// Folders of other repositories that git fetches into this one, from the working directory: what is missing there may
    /// only not have been fetched.
    pub submodules: Vec<String>,
    /// Whether the working directory is the root of one project, and not a folder of several.
    pub is_root: bool,
    /// Whether what the project says of itself there launches it on one node, in every command.
    pub is_for_one_node: bool,
}

impl Default for ProjectFacts {
    fn default() -> Self {
        Self {
            test_keys: vec!["SCOPE_TEST_*".to_owned()],
            parity_keys: Vec::new(),
            allowed_writes: Vec::new(),
            envelope_modules: Vec::new(),
            submodules: Vec::new(),
            is_root: false,
            is_for_one_node: false,
        }
    }
}
