//! Flow-style lists and maps, between brackets as in JSON.

use super::{Done, Editor, NotEditable};
use crate::json::{Member, Value, quote};
use crate::yaml::tree::Id;
use crate::yaml::write::flow;

impl Editor<'_, '_> {
    /// Replaces a value; an empty one has no span that could be replaced.
    pub(super) fn flow_changed(&mut self, value: Id, new: &Value<'_>) -> Done {
        let span = self.span(value);
        if span.start == span.end {
            return Err(NotEditable);
        }
        self.replace(span.start, span.end, flow(new));
        Ok(())
    }

    pub(super) fn flow_without(&mut self, entries: &[(Id, Id)], at: usize) -> Done {
        let (key, value) = entries.get(at).ok_or(NotEditable)?;
        let before = at.checked_sub(1).and_then(|before| entries.get(before));
        match (entries.get(at.saturating_add(1)), before) {
            (Some((next, _)), _) => self.replace(self.span(*key).start, self.span(*next).start, ""),
            (None, Some((_, before))) => {
                self.replace(self.span(*before).end, self.span(*value).end, "");
            }
            (None, None) => return Err(NotEditable),
        }
        Ok(())
    }

    pub(super) fn flow_with(
        &mut self,
        id: Id,
        entries: &[(Id, Id)],
        kept: Option<usize>,
        added: &[&Member<'_>],
    ) -> Done {
        let new = added.iter().map(|member| {
            let name = quote(&member.name);
            format!("{name}: {}", flow(&member.value))
        });
        let new = new.collect::<Vec<_>>().join(", ");
        match kept.and_then(|at| entries.get(at)) {
            Some((_, last)) => {
                let end = self.span(*last).end;
                self.replace(end, end, format!(", {new}"));
            }
            None if entries.is_empty() => {
                let open = self.span(id).start.saturating_add(1);
                self.replace(open, open, new);
            }
            None => return Err(NotEditable),
        }
        Ok(())
    }

    pub(super) fn flow_items(&mut self, items: &[Id], at: usize, added: &[Value<'_>]) -> Done {
        let new = added.iter().map(flow).collect::<Vec<_>>().join(", ");
        match at.checked_sub(1).and_then(|last| items.get(last)) {
            Some(last) => {
                let end = self.span(*last).end;
                self.replace(end, end, format!(", {new}"));
            }
            None => {
                let first = self.span(*items.first().ok_or(NotEditable)?).start;
                self.replace(first, first, format!("{new}, "));
            }
        }
        Ok(())
    }
}
