//! What the desk derives about its API, for the parts that only show it.

use gatewright_model::ApiDefinition;
use gatewright_model::json::parse;
use leptos::prelude::*;

use super::Desk;
use crate::api::{ApiError, Pending};
use crate::state::curl::Curl;
use crate::state::draft::Draft;
use crate::state::load::Load;
use crate::state::plan::{is_pending, state_of};
use crate::state::served::Stage;

impl Desk {
    /// Returns the name in the draft, or a substitute.
    pub(in crate::pages::editor) fn title(self) -> String {
        let text = self.text();
        let name = parse(&text)
            .ok()
            .and_then(|value| value.str("name").map(str::to_owned));
        name.filter(|name| !name.is_empty())
            .or_else(|| self.id())
            .unwrap_or_else(|| "New API".to_owned())
    }

    /// Returns the stored name.
    pub(in crate::pages::editor) fn stored_name(self) -> String {
        let base = self
            .draft_untracked()
            .base
            .map(|base| base.text)
            .unwrap_or_default();
        parse(&base)
            .ok()
            .and_then(|value| value.str("name").map(str::to_owned))
            .unwrap_or_default()
    }

    /// The typed view of the draft, as long as it is JSON.
    pub(in crate::pages::editor) fn definition(self) -> Option<ApiDefinition> {
        let text = self.text();
        parse(&text).ok().map(|value| ApiDefinition::read(&value))
    }

    /// Whether what is stored is not served yet.
    pub(in crate::pages::editor) fn pending(self) -> bool {
        let Some(id) = self.id() else { return false };
        let by_header = self.draft.with(|draft| {
            draft
                .as_ref()
                .and_then(|draft| draft.base.as_ref())
                .is_some_and(|base| base.pending)
        });
        is_pending(self.console.board.good().as_ref(), &id, by_header)
    }

    /// Whether it is stored on one line, but shown on several.
    pub(in crate::pages::editor) fn stored_on_one_line(self) -> bool {
        let one = |draft: &Option<Draft>| draft.as_ref().is_some_and(Draft::stored_on_one_line);
        self.draft.with(one)
    }

    /// Returns what the next reload does with the stored definition, if it is not loaded.
    pub(in crate::pages::editor) fn outlook(self) -> Option<Pending> {
        let id = self.id()?;
        let board = self.console.board.good()?;
        let mut pending = board.pending.into_iter();
        pending.find(|pending| !pending.policy && pending.api_id == id)
    }

    /// Returns how far the draft has got on its way from the editor to the data plane.
    pub(in crate::pages::editor) fn stage(self) -> Stage {
        if self.id().is_none() || self.dirty() {
            Stage::Unsaved
        } else if self.pending() {
            Stage::Waiting
        } else {
            self.skipped().map_or(Stage::Loaded, Stage::LeftOut)
        }
    }

    /// Returns why the last reload skipped this API.
    pub(in crate::pages::editor) fn skipped(self) -> Option<String> {
        let id = self.id()?;
        let board = self.console.board.good()?;
        board
            .skipped
            .into_iter()
            .find(|skipped| skipped.api_id == id)
            .map(|skipped| skipped.reason)
    }

    /// Whether no API was ever stored under this id.
    pub(in crate::pages::editor) fn unknown(self) -> bool {
        let gone = matches!(self.failed(), Some(ApiError::Missing(_)));
        gone && self.existed.and_then(Load::good) == Some(false)
    }

    /// Whether there was such an API, which is deleted.
    pub(in crate::pages::editor) fn deleted(self) -> bool {
        let gone = matches!(self.failed(), Some(ApiError::Missing(_)));
        gone && self.existed.and_then(Load::good) == Some(true)
    }

    /// Returns the state of the stored definition, in the words of the list.
    pub(in crate::pages::editor) fn state(self) -> Option<&'static str> {
        if self.deleted() {
            return Some("deleted");
        }
        let base = self
            .draft
            .with(|draft| draft.as_ref().and_then(|draft| draft.base.clone()))?;
        let definition = parse(&base.text)
            .ok()
            .map(|value| ApiDefinition::read(&value))?;
        let board = self.console.board.good();
        let switches = (definition.active, definition.internal);
        Some(state_of(
            board.as_ref(),
            &self.id()?,
            base.pending,
            switches,
        ))
    }

    /// Returns the command that stores the draft.
    pub(in crate::pages::editor) fn curl(self) -> String {
        let origin = window().location().origin().unwrap_or_default();
        let draft = self.draft.get().unwrap_or_default();
        let request = match (self.id(), &draft.base) {
            (Some(id), Some(base)) => Curl::new("PUT", &format!("{origin}/gateway/apis/{id}"))
                .header("If-Match", &base.etag),
            _ => Curl::new("POST", &format!("{origin}/gateway/apis")).header("If-None-Match", "*"),
        };
        request.secret().json(draft.saves()).command()
    }
}
