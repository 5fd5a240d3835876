//! The pages of all rules as files for a browser: the text that `explain` prints and the editor shows.

use super::html::{begin, end};
use super::markup::Page;
use super::severity_name;
use crate::meta;
use crate::rules::{Group, Rule};

/// Nothing is loaded and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The files of the site: name and content, the index first.
pub fn site() -> Vec<(String, String)> {
    let mut files = vec![("index.html".to_owned(), index())];
    files.extend(meta::all_rules().map(|rule| (format!("{}.html", rule.name), of_rule(rule))));
    files
}

fn rules_of(group: Group) -> impl Iterator<Item = &'static Rule> {
    meta::all_rules().filter(move |rule| rule.group == group)
}

fn index() -> String {
    let mut page = Page::default();
    begin(&mut page, "ranklint: the rules", POLICY);
    page.raw("<h1>The rules of ranklint</h1>\n");
    for group in Group::ALL {
        page.heading(group.name(), group.summary()).raw("<table>\n<tbody>\n");
        for rule in rules_of(group) {
            page.raw(&format!("<tr><td><a class=\"mono\" href=\"{0}.html\">{0}</a></td><td>", rule.name));
            page.prose(rule.summary).raw("</td>").element("td", "soft", severity_name(rule.severity)).raw("</tr>\n");
        }
        page.raw("</tbody>\n</table>\n");
    }
    end(&mut page);
    page.raw("</body>\n</html>\n");
    page.text
}

fn of_rule(rule: &Rule) -> String {
    let mut page = Page::default();
    begin(&mut page, &format!("{}: ranklint", rule.name), POLICY);
    page.raw("<p><a href=\"index.html\">all rules</a></p>\n").markdown(rule.page, 0);
    page.raw("<h2>At a glance</h2>\n<table>\n<tbody>\n");
    let mut facts =
        vec![("group", rule.group.name().to_owned()), ("severity", severity_name(rule.severity).to_owned())];
    if !rule.rows.is_empty() {
        facts.push(("rows of the matrix", rule.rows.join(", ")));
    }
    facts.extend(rule.verify.map(|probe| ("settled by the probe", probe.name().to_owned())));
    facts.push(("silence it", format!("# ranklint: ignore[{}] -- REASON", rule.name)));
    for (name, value) in facts {
        page.raw("<tr>").element("th", "", name).raw("<td>").element("code", "", &value).raw("</td></tr>\n");
    }
    page.raw("</tbody>\n</table>\n");
    end(&mut page);
    page.raw("</body>\n</html>\n");
    page.text
}
