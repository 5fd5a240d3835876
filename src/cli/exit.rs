//! The exit codes, each documented here and nowhere else.

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Nothing was found.
    Clean = 0,
    /// There are findings.
    Findings = 1,
    /// The command line or the configuration is wrong, or what was asked for cannot be written.
    Usage = 2,
    /// A defect of ranklint itself; findings that were printed hold nonetheless.
    Internal = 3,
    /// `verify` could not run the program, or `hook` could not look at the edit.
    CannotRun = 4,
}

/// The table for `--help`.
pub(super) const TABLE: &str = "\
Exit codes:
  0  nothing was found
  1  there are findings
  2  the command line or the configuration is wrong, or what was asked for cannot be written
  3  a defect of ranklint itself; findings that were printed hold nonetheless
  4  `verify` could not run the program, or `hook` could not look at the edit";
