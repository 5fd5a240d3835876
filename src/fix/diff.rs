//! What would change, as a patch.

use similar::{Algorithm, TextDiff};

/// A unified diff of one file, as `git apply` and `patch -p1` take it.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(old, new);
    diff.unified_diff().context_radius(3).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_patch_names_the_file_and_keeps_line_ends() {
        let patch = super::unified("a/b.py", "x\r\ny", "x\r\nz");
        assert!(patch.starts_with("--- a/a/b.py\n+++ b/a/b.py\n@@ -1,2 +1,2 @@\n x\r\n-y\n"), "{patch}");
        assert!(patch.contains("\\ No newline at end of file"), "{patch}");
    }
}
