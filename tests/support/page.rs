//! A rule's page: its sections, and the examples in it as cases.

use super::Case;

/// A fenced block that is an example.
struct Block {
    language: String,
    path: Option<String>,
    section: usize,
    /// Line of the page on which the content begins.
    line: u32,
    content: String,
}

/// A case from a page, and for each of its files the line of the page on which it begins.
pub struct Example {
    /// The files.
    pub case: Case,
    /// Line of the page by position in the case's files.
    pub lines: Vec<u32>,
}

/// The text of all headings of the second level, in order, as they stand: `## Contract`.
pub fn sections(page: &str) -> Vec<&str> {
    let mut fence = false;
    let mut found = Vec::new();
    for line in page.lines() {
        fence ^= line.trim_start().starts_with("```");
        if !fence && line.starts_with("## ") {
            found.push(line.trim_end());
        }
    }
    found
}

/// The examples of a page. A block with a path joins the blocks with paths right before it in its section, unless the path is
/// already taken; a Python or shell block without one stands alone.
pub fn examples(name: &str, page: &str) -> Result<Vec<Example>, String> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open: Option<usize> = None;
    for block in blocks(page)? {
        let path = match (&block.path, block.language.as_str()) {
            (Some(path), _) => path.as_str(),
            (None, "python" | "py") => "example.py",
            (None, "sh" | "bash" | "shell") => "example.sh",
            (None, _) => continue,
        };
        let file = (path.to_owned(), block.content.clone().into_bytes());
        let section = block.path.as_ref().map(|_| block.section);
        let free = |last: &&mut Example| last.case.files.iter().all(|(taken, _)| taken != path);
        match examples.last_mut().filter(|last| section.is_some() && open == section && free(last)) {
            Some(last) => {
                last.case.files.push(file);
                last.lines.push(block.line);
            }
            None => {
                let case = Case { name: format!("{name}/{}", block.line), files: vec![file] };
                examples.push(Example { case, lines: vec![block.line] });
            }
        }
        open = section;
    }
    Ok(examples)
}

fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut current: Option<(Block, usize)> = None;
    let mut section = 0;
    for (index, line) in page.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some((block, margin)) = &mut current {
            if trimmed.trim_end() == "```" {
                blocks.extend(current.take().map(|(block, _)| block));
            } else {
                block.content.push_str(&line[indent.min(*margin)..]);
                block.content.push('\n');
            }
        } else if let Some(info) = trimmed.strip_prefix("```") {
            let mut words = info.split_whitespace();
            let language = words.next().unwrap_or_default().to_owned();
            let path = words.next().filter(|word| word.contains('.') && !word.contains('=')).map(str::to_owned);
            let block = Block { language, path, section, line: index as u32 + 2, content: String::new() };
            current = Some((block, indent));
        } else if line.starts_with('#') {
            section += 1;
        }
    }
    match current {
        Some((block, _)) => Err(format!("the block that begins on line {} has no end", block.line)),
        None => Ok(blocks),
    }
}
