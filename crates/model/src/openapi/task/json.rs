//! Used where documents are only read as JSON.

use super::{Format, Refusal, Report, Task, stored};
use crate::issue::Issue;

fn unread() -> Refusal {
    Refusal {
        message: "YAML is not read here; send JSON".to_owned(),
        issues: Vec::new(),
    }
}

pub(super) fn make(task: &Task, before: &str, sent: &str) -> Result<(Report, String), Refusal> {
    if task.format == Format::Yaml {
        return Err(unread());
    }
    let before = stored::document(before).map_or("", |(_, document)| document);
    let (made, compiled) = super::make(task, before, sent)?;
    Ok((Report::Made(made), compiled.text()?))
}

pub(super) fn shown(_: &str, _: &str) -> Result<(Report, String), Refusal> {
    Err(unread())
}

pub(super) fn placed(_: &[Issue], _: &str) -> Result<(Report, String), Refusal> {
    Err(unread())
}
