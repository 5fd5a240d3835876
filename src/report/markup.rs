//! Markup while it grows: what the pages for browsers share.

use super::is_unprintable;

/// The page while it grows. Markup goes in by `raw`, everything of the run by `text`.
#[derive(Default)]
pub(super) struct Page {
    pub text: String,
}

impl Page {
    /// Our own markup.
    pub fn raw(&mut self, markup: &str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Anything else.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                '\n' | '\t' => self.text.push(c),
                c if is_unprintable(c) => self.text.push('\u{fffd}'),
                c => self.text.push(c),
            }
        }
        self
    }

    /// `<tag class="class">text</tag>`.
    pub fn element(&mut self, tag: &str, class: &str, text: &str) -> &mut Self {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.raw(&format!("<{tag}{class}>")).text(text).raw(&format!("</{tag}>"))
    }

    /// A heading with what stands beside it.
    pub fn heading(&mut self, text: &str, beside: &str) -> &mut Self {
        self.raw("<h2>").text(text);
        if !beside.is_empty() {
            self.element("small", "", beside);
        }
        self.raw("</h2>\n")
    }

    /// Text in which backquotes mark code.
    pub fn prose(&mut self, text: &str) -> &mut Self {
        for (index, part) in text.split('`').enumerate() {
            match index % 2 {
                0 => self.text(part),
                _ => self.element("code", "", part),
            };
        }
        self
    }

    /// Markdown as our pages of rules have it: headings, paragraphs, lists of one level, fenced code. Headings go down by
    /// `deeper` levels.
    pub fn markdown(&mut self, text: &str, deeper: usize) -> &mut Self {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let rest = line.trim_start_matches('#');
            let level = line.len() - rest.len();
            if let Some(info) = line.strip_prefix("```") {
                // The second word is the path of the example.
                if let Some(path) = info.split_whitespace().nth(1) {
                    self.element("p", "path", path);
                }
                let code: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
                self.element("pre", "", &code.join("\n")).raw("\n");
            } else if level > 0 && rest.starts_with(' ') {
                let tag = format!("h{}", (level + deeper).min(6));
                self.raw(&format!("<{tag}>")).prose(rest.trim()).raw(&format!("</{tag}>\n"));
            } else if line.starts_with("- ") {
                self.raw("<ul>\n");
                let mut item = Some(line);
                while let Some(line) = item {
                    let mut words = line.trim_start_matches("- ").to_owned();
                    while let Some(more) = lines.next_if(|line| line.starts_with("  ")) {
                        words = format!("{words} {}", more.trim());
                    }
                    self.raw("<li>").prose(&words).raw("</li>\n");
                    item = lines.next_if(|line| line.starts_with("- "));
                }
                self.raw("</ul>\n");
            } else if !line.trim().is_empty() {
                let mut words = line.to_owned();
                let goes_on =
                    |line: &&str| !(line.trim().is_empty() || line.starts_with(['#', '`']) || line.starts_with("- "));
                while let Some(more) = lines.next_if(goes_on) {
                    words = format!("{words} {}", more.trim());
                }
                self.raw("<p>").prose(&words).raw("</p>\n");
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn markdown_of_our_pages_becomes_markup() {
        let mut page = Page::default();
        page.markdown("# a `b`\n\none\ntwo <x>\n- p\n  q\n- r\n\n```python a.py\nif x < y:\n    pass\n```\n", 1);
        let wanted = "<h2>a <code>b</code></h2>\n<p>one two &lt;x&gt;</p>\n<ul>\n<li>p q</li>\n<li>r</li>\n</ul>\n\
                      <p class=\"path\">a.py</p><pre>if x &lt; y:\n    pass</pre>\n";
        assert_eq!(page.text, wanted);
    }
}
