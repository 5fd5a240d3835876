//! Paths as the client writes them: `file:` addresses, percent-encoded.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use lsp_types::Uri;

/// The path behind an address; absent for anything but files.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://").or_else(|| uri.strip_prefix("file:"))?;
    let rest = match rest.find('/') {
        Some(slash) => &rest[slash..],
        None => return None,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(rest.len());
    let mut letters = rest.bytes();
    while let Some(byte) = letters.next() {
        if byte == b'%' {
            let code = [letters.next()?, letters.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&code).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // `/C:/x` is `C:/x`.
    let drive = text.as_bytes().get(2) == Some(&b':') && text.as_bytes()[1].is_ascii_alphabetic();
    Some(PathBuf::from(if cfg!(windows) && drive { &text[1..] } else { &text }))
}

/// The address of a file.
pub(super) fn uri_of(path: &Path) -> Uri {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut out = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&out).expect("everything unusual is encoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/a/b.py", "/mit Leer zeichen/ß#?%.py"] {
            assert_eq!(path_of(uri_of(Path::new(path)).as_str()), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("file://localhost/a%20b"), Some(PathBuf::from("/a b")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file:///a%f"), None);
    }
}
