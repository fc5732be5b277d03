//! Block-style lists and maps, in which each entry starts a line.

use super::{Done, Editor, NotEditable};
use crate::json::{Member, Value};
use crate::yaml::read::Yaml;
use crate::yaml::tree::{Id, Kind as Is, Notation};
use crate::yaml::write::{behind, inline, item, member};
use granit_parser::StructureStyle;

/// Returns the start of the line that contains an offset.
fn line_begin(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |end| end.saturating_add(1))
}

/// Returns the end of the line that contains an offset, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest.get(..length).unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    at.saturating_add(line.len())
}

/// Returns the start of the next line, or the end of the text.
fn next_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest
        .find('\n')
        .map_or(rest.len(), |end| end.saturating_add(1));
    at.saturating_add(length)
}

/// Returns the text before an offset on its line.
fn before(text: &str, at: usize) -> &str {
    text.get(line_begin(text, at)..at).unwrap_or_default()
}

/// Returns the start of the comment lines right before the line of an offset, or of that line itself.
fn with_comments(text: &str, at: usize) -> usize {
    let mut begin = line_begin(text, at);
    loop {
        let above = line_begin(text, begin.saturating_sub(1));
        let line = text.get(above..begin).unwrap_or_default();
        if above == begin || !line.trim_start().starts_with('#') {
            return begin;
        }
        begin = above;
    }
}

fn blanks(indent: usize) -> String {
    " ".repeat(indent)
}

/// Returns the indentation of the map that contains the name at `start`.
fn indent(text: &str, start: usize) -> Result<usize, NotEditable> {
    let before = before(text, start);
    let is_plain = before.bytes().all(|byte| matches!(byte, b' ' | b'-'));
    if is_plain {
        Ok(before.len())
    } else {
        Err(NotEditable)
    }
}

impl Editor<'_, '_> {
    /// Returns the end of a member.
    fn end(&self, (key, value): (Id, Id)) -> usize {
        self.span(value).end.max(self.span(key).end)
    }

    /// Returns the offset after the colon of a member, which has to be on the same line as its name.
    fn colon(&self, key: Id) -> Result<usize, NotEditable> {
        let end = self.span(key).end;
        let rest = self.yaml.text.get(end..).unwrap_or_default();
        let blanks = rest
            .len()
            .saturating_sub(rest.trim_start_matches(' ').len());
        match rest.get(blanks..).is_some_and(|rest| rest.starts_with(':')) {
            true => Ok(end.saturating_add(blanks).saturating_add(1)),
            false => Err(NotEditable),
        }
    }

    pub(super) fn block_without(&mut self, entries: &[(Id, Id)], at: usize) -> Done {
        let text = self.yaml.text;
        let entry = entries.get(at).ok_or(NotEditable)?;
        let start = self.span(entry.0).start;
        if before(text, start).bytes().all(|byte| byte == b' ') {
            let end = next_line(text, self.end(*entry));
            self.replace(line_begin(text, start), end, "");
            return Ok(());
        }
        let next = entries.get(at.saturating_add(1)).ok_or(NotEditable)?;
        self.replace(start, self.span(next.0).start, "");
        Ok(())
    }

    pub(super) fn block_with(
        &mut self,
        id: Id,
        entries: &[(Id, Id)],
        kept: Option<usize>,
        added: &[&Member<'_>],
    ) -> Done {
        let text = self.yaml.text;
        let last = kept.and_then(|at| entries.get(at)).ok_or(NotEditable)?;
        let first = entries.first().ok_or(NotEditable)?;
        let indent = indent(text, self.span(first.0).start)?;
        let mut new = String::new();
        for each in added {
            new.push('\n');
            let donated = self
                .donor
                .filter(|_| id == self.yaml.tree.root && indent == 0);
            if let Some(lines) = donated.and_then(|donor| lines_of(donor, &each.name)) {
                new.push_str(lines);
                continue;
            }
            new.push_str(&blanks(indent));
            member(&each.name, &each.value, indent, &mut new);
        }
        let at = line_end(text, self.end(*last));
        self.replace(at, at, new);
        Ok(())
    }

    pub(super) fn block_changed(&mut self, key: Id, value: Id, new: &Value<'_>) -> Done {
        let indent = indent(self.yaml.text, self.span(key).start)?;
        let colon = self.colon(key)?;
        let mut text = String::new();
        behind(new, indent, &mut text);
        let end = self.span(value).end.max(colon);
        self.replace(colon, end, text);
        Ok(())
    }

    /// Returns the indentation of the dash of an element that starts on the dash's line.
    fn dash(&self, item: Id) -> Result<usize, NotEditable> {
        let before = before(self.yaml.text, self.span(item).start);
        let dash = before.find('-').filter(|_| before.trim_matches(' ') == "-");
        dash.ok_or(NotEditable)
    }

    pub(super) fn item_changed(&mut self, item: Id, new: &Value<'_>) -> Done {
        let is_line = matches!(
            self.kind(item),
            Is::Plain(_) | Is::Text(_, Notation::Quoted) | Is::Alias(_)
        );
        if !is_line || !new.members().is_empty() || !new.items().is_empty() {
            return Err(NotEditable);
        }
        let mut text = String::new();
        inline(new, &mut text);
        let span = self.span(item);
        self.replace(span.start, span.end, text);
        Ok(())
    }

    /// Inserts elements after the first `at` ones; at the start, they precede the comments of the first one.
    pub(super) fn block_items(&mut self, items: &[Id], at: usize, added: &[Value<'_>]) -> Done {
        let text = self.yaml.text;
        let first = items.first().ok_or(NotEditable)?;
        let dash = self.dash(*first)?;
        let last = at.checked_sub(1).and_then(|last| items.get(last));
        let mut lines = added.iter().map(|value| {
            let mut line = format!("{}- ", blanks(dash));
            item(value, dash, &mut line);
            line
        });
        match last {
            Some(last) => {
                let at = line_end(text, self.span(*last).end);
                let new = lines.fold(String::new(), |new, line| new + "\n" + &line);
                self.replace(at, at, new);
            }
            None => {
                let at = with_comments(text, self.span(*first).start);
                let new = lines
                    .by_ref()
                    .fold(String::new(), |new, line| new + &line + "\n");
                self.replace(at, at, new);
            }
        }
        Ok(())
    }
}

/// Returns the lines of a top-level member of a document, with the comments right before it.
fn lines_of<'y>(yaml: &Yaml<'y>, name: &str) -> Option<&'y str> {
    let tree = &yaml.tree;
    let Is::Map(entries, StructureStyle::Block) = &tree.node(tree.root).kind else {
        return None;
    };
    let (key, value) = entries
        .iter()
        .find(|(key, _)| tree.name(*key) == Some(name))?;
    let (key, value) = (tree.node(*key).span, tree.node(*value).span);
    if !before(yaml.text, key.start).is_empty() {
        return None;
    }
    let begin = with_comments(yaml.text, key.start);
    yaml.text
        .get(begin..line_end(yaml.text, key.end.max(value.end)))
}
