//! Building blocks: data in, callbacks out. None of them sends a request to the gateway.

pub mod answer;
pub mod assist;
pub mod badge;
pub mod body_playground;
pub mod button;
pub mod chain;
pub mod copy;
pub mod dialog;
pub mod diff;
pub mod document_editor;
pub mod document_form;
pub mod feedback;
pub mod file_drop;
pub mod finder;
mod foreign;
pub mod form;
pub mod header_fields;
pub mod icon;
pub mod json_editor;
pub mod layout;
pub mod listing;
pub mod menu;
pub mod problems;
pub mod rows;
pub mod selection;
pub mod text_field;
pub mod theme_switch;
pub mod toast;
pub mod trace;
pub mod views;
pub mod when;

pub use answer::{AnswerBody, AnswerHeaders, Status};
pub use assist::{Assist, Remedy};
pub use badge::{ChangeBadge, StateBadge, left_out};
pub use body_playground::BodyPlayground;
pub use button::{IconButton, button, task_label};
pub use chain::ChainLinks;
pub use copy::{CopyButton, SecretText, copy_text};
pub use dialog::{Confirm, Dialog, modal};
pub use diff::{ChangeList, Difference, LineDiff};
pub use document_editor::{DocumentEditor, JumpTarget, Shows};
pub use feedback::{Bones, Empty, Failure, Notice, Tint, failed, failed_save, saved_with};
pub use file_drop::{FileButton, FileDrop};
pub use finder::{Choice, FinderField, FinderFrame};
pub use foreign::ForeignText;
pub use header_fields::HeaderFields;
pub use icon::{Glyph, Icon};
pub use json_editor::JsonEditor;
pub use layout::{PageHead, PageTitle};
pub use listing::{ListFilter, ListSteps, ListSuggest, ListTools, SearchField};
pub use menu::{Menu, MenuItem, MenuLink};
pub use problems::{ProblemList, ProblemsJump, QuickFixes};
pub use rows::Rows;
pub use selection::{Selection, SelectionBar, select_heading};
pub use text_field::TextField;
pub use theme_switch::ThemeSwitch;
pub use toast::ToastRegion;
pub use trace::Trace;
pub use views::{Shown, each, keyed, live, maybe, only};
pub use when::{Moment, When, moment};

use std::cell::Cell;

thread_local! {
    static NEXT_ID: Cell<u32> = const { Cell::new(0) };
}

/// Returns an element id that is unique on the page, for labels and descriptions.
#[must_use]
pub fn unique_id(prefix: &str) -> String {
    let number = NEXT_ID.with(|next| next.replace(next.get().wrapping_add(1)));
    format!("{prefix}-{number}")
}
