//! Quick fixes for a single value: its type, its choice from a list, its format.

use super::{Content, Fix, Fixer, plain, replace};
use crate::definition::target;
use crate::form::Subject;
use crate::json::{Kind as Json, Value, quote};
use crate::shape::{Format, Kind, Root, closest};
use crate::text::network::METHODS;

impl Fixer<'_> {
    pub(super) fn mistyped(&self) -> Vec<Fix> {
        let Some(value) = self.here() else {
            return Vec::new();
        };
        match value.is_null() {
            true => self.remove().into_iter().collect(),
            false => self.converted(),
        }
    }

    /// Converts a value to the expected type.
    pub(super) fn converted(&self) -> Vec<Fix> {
        let (Some(spot), Some(value)) = (self.spot(), self.here()) else {
            return Vec::new();
        };
        let json = value.span.of(self.text);
        let fix = match (&spot.kind, &value.kind) {
            (Kind::Bool, Json::String(text)) if matches!(&**text, "true" | "false") => {
                Some(("Remove the quotes", text.to_string()))
            }
            (Kind::Bool, Json::String(text)) => boolean_word(text),
            (Kind::Bool, Json::Number(text)) => boolean_word(text),
            (Kind::Integer(_), Json::String(text)) if text.parse::<i64>().is_err() => None,
            (Kind::Integer(_) | Kind::Number, Json::String(text)) if is_number(text) => {
                Some(("Remove the quotes", text.to_string()))
            }
            (Kind::Text | Kind::Format(_) | Kind::Enum(_), Json::Number(_) | Json::Bool(_)) => {
                Some(("Put it in quotes", quote(json)))
            }
            (Kind::Array(_), kind) if !matches!(kind, Json::Object(_) | Json::Array(_)) => {
                Some(("Make it a list", format!("[{json}]")))
            }
            _ => None,
        };
        fix.map(|(title, json)| plain(title, self.span, json))
            .into_iter()
            .collect()
    }

    pub(super) fn listed(&self) -> Vec<Fix> {
        const MOST: usize = 6;
        let (Some(spot), Some(value)) = (self.spot(), self.here()) else {
            return Vec::new();
        };
        let (Kind::Enum(choice), Some(text)) = (spot.kind, value.as_str()) else {
            return Vec::new();
        };
        let near = closest(text, choice.values.iter().copied());
        let values: Vec<&str> = match near {
            Some(near) => vec![near],
            None => choice
                .values
                .iter()
                .copied()
                .filter(|text| !text.is_empty())
                .take(MOST)
                .collect(),
        };
        let one = if near.is_some() { plain } else { replace };
        let fix = |text: &str| one(format!("Write {}", quote(text)), self.span, quote(text));
        values.into_iter().map(fix).collect()
    }

    pub(super) fn format(&self) -> Vec<Fix> {
        let Some(text) = self.here().and_then(Value::as_str) else {
            return Vec::new();
        };
        let upper = text.to_ascii_uppercase();
        if upper != text && METHODS.contains(&upper.as_str()) {
            return vec![plain(format!("Write {upper}"), self.span, quote(&upper))];
        }
        if self.is_listen_path() && !text.starts_with('/') {
            let path = format!("/{}", text.trim());
            return vec![plain(format!("Write {path}"), self.span, quote(&path))];
        }
        match self.spot().map(|spot| spot.kind) {
            Some(Kind::Format(Format::Url | Format::Target)) => self.schemes(text),
            _ => Vec::new(),
        }
    }

    fn is_listen_path(&self) -> bool {
        match self.content {
            Content::Document(Subject::Table(Root::ApiDefinition)) => {
                self.pointer == "/proxy/listen_path"
            }
            Content::Document(Subject::OpenApi(_)) => {
                self.tokens.len() == 4 && self.pointer.ends_with("/server/listenPath/value")
            }
            _ => false,
        }
    }

    /// Adds a scheme to a URL that lacks one; either scheme may be meant.
    fn schemes(&self, text: &str) -> Vec<Fix> {
        let text = text.trim().trim_start_matches('/');
        let url = |scheme: &&str| format!("{scheme}://{text}");
        let usable = |url: &String| matches!(target::check(url), Ok(target::Target::Usable { .. }));
        if text.contains("://") {
            return Vec::new();
        }
        let urls = ["https", "http"];
        let urls = urls.iter().map(url).filter(usable);
        urls.map(|url| replace(format!("Write {url}"), self.span, quote(&url)))
            .collect()
    }
}

/// Returns the boolean that people write as another word, or as a number.
fn boolean_word(text: &str) -> Option<(&'static str, String)> {
    let boolean = match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => true,
        "false" | "no" | "off" | "0" => false,
        _ => return None,
    };
    Some(("Write it as a boolean", boolean.to_string()))
}

fn is_number(text: &str) -> bool {
    crate::json::parse(text).is_ok_and(|value| matches!(value.kind, Json::Number(_)))
}
