//! Explanations of members of a document.

use serde::{Deserialize, Serialize};

use super::complete::{floor, support_sentence};
use super::cursor::{Cursor, CursorKind};
use super::describe;
use crate::form::Subject;
use crate::shape::{Kind, Spot, Support};

/// An explanation of the member at the cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hover {
    /// Offset of the first byte of the explained text.
    pub from: usize,
    /// Offset after its last byte.
    pub to: usize,
    /// The path to it: `proxy.listen_path`.
    pub title: String,
    /// The expected value, in a few words.
    pub kind: String,
    /// A description in one sentence.
    pub doc: String,
    /// Whether the member is required.
    pub required: bool,
    /// The JSON text of its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether this runtime acts on it: `enforced`, `stored` or `unsupported`; "" where the table doesn't say.
    pub support: String,
    /// The support as a sentence, with the reason.
    pub support_note: String,
}

/// Explains the member whose name or value is at an offset; `None` between them, and for members that are not in the
/// table.
#[must_use]
pub fn hover(subject: Subject, text: &str, offset: usize) -> Option<Hover> {
    let offset = floor(text, offset);
    let cursor = match Cursor::new(text, offset) {
        // The opening quote of a name belongs to it for a mouse, but not for a caret.
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
    let support = cursor.has_support(subject).then_some(*member.support);
    // A map entry or an array element is explained by the member that contains it.
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

/// Finds what the table says about the name at the cursor.
fn named(cursor: &Cursor<'_>, around: &Spot) -> Option<Spot> {
    let name = cursor.name()?;
    match around.kind {
        Kind::Object(_) | Kind::Map(..) => around.step(&name, |_| None),
        _ => None,
    }
}
