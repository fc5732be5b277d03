//! What a member of a document means.

use serde::{Deserialize, Serialize};

use super::complete::{floor, support_sentence};
use super::cursor::{Cursor, CursorKind};
use super::describe;
use crate::form::Subject;
use crate::shape::{Kind, Spot, Support};

/// An explanation of what stands at the cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hover {
    /// Offset of the first byte of what is explained.
    pub from: usize,
    /// Offset behind its last byte.
    pub to: usize,
    /// The path to it: `proxy.listen_path`.
    pub title: String,
    /// What the value has to be.
    pub kind: String,
    /// What it does, in one sentence.
    pub doc: String,
    /// Whether it has to be there.
    pub required: bool,
    /// The JSON text of its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether this runtime acts on it: `enforced`, `stored` or `unsupported`; "" where the table doesn't say.
    pub support: String,
    /// The same in a sentence, with the reason.
    pub support_note: String,
}

/// Explains the member whose name or value stands at an offset; nothing between them, and nothing
/// for members the table doesn't have.
#[must_use]
pub fn hover(subject: Subject, text: &str, offset: usize) -> Option<Hover> {
    let offset = floor(text, offset);
    let cursor = match Cursor::new(text, offset) {
        // The first quote of a name is a part of it for a mouse, but not for a caret.
        cursor if cursor.token.start == cursor.token.end => {
            Cursor::new(text, floor(text, offset.saturating_add(1)))
        }
        cursor => cursor,
    };
    if cursor.token.start == cursor.token.end {
        return None;
    }
    let (around, here) = cursor.spot(subject)?;
    let spot = match cursor.kind {
        CursorKind::Name { .. } => named(&cursor, &around)?,
        CursorKind::Value => here?,
        CursorKind::Other => return None,
    };
    let member = spot.member?;
    let support = cursor.says_support(subject).then_some(*member.support);
    // An entry of a map or an element is explained by the member it is inside of.
    Some(Hover {
        from: cursor.token.start,
        to: cursor.token.end,
        title: cursor.dotted(),
        kind: describe(&spot.kind),
        doc: member.doc.to_owned(),
        required: member.is_required(),
        default: member.default().map(str::to_owned),
        support: support.map_or("", Support::word).to_owned(),
        support_note: support.map(support_sentence).unwrap_or_default(),
    })
}

/// What the name at the cursor stands for.
fn named(cursor: &Cursor<'_>, around: &Spot) -> Option<Spot> {
    let name = cursor.name()?;
    match around.kind {
        Kind::Object(_) | Kind::Map(..) => around.step(&name, |_| None),
        _ => None,
    }
}
