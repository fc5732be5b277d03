//! List entries that have to differ from each other.

use super::Rules;
use crate::findings::shown;
use crate::issue::IssueCode;
use crate::json::Value;
use crate::order::repeats;

impl Rules<'_, '_> {
    /// Reference section 6.1: compared without surrounding spaces and ignoring case.
    pub(super) fn data_sources(&mut self) {
        const LIST: &str = "/graphql/engine/data_sources";
        let key = |name: &str| name.trim().to_lowercase();
        for (index, _) in self.repeated(LIST, "name", key) {
            let message = "duplicate data source names are not allowed";
            self.error(
                IssueCode::Conflict,
                &format!("{LIST}/{index}/name"),
                message,
            );
        }
        let lists = [
            ("/graphql/supergraph/subgraphs", "name", "a subgraph"),
            ("/openid_options/providers", "issuer", "a provider"),
        ];
        for (list, member, what) in lists {
            for (index, text) in self.repeated(list, member, str::to_owned) {
                let message = format!(
                    "there is {what} called {} already; rename one",
                    shown(&text)
                );
                self.warning(
                    IssueCode::Conflict,
                    &format!("{list}/{index}/{member}"),
                    message,
                );
            }
        }
    }

    /// Returns the entries of a list of objects whose member repeats an earlier one: index and text. Empty texts aren't
    /// compared, except those of data sources, as in the reference.
    fn repeated(&self, list: &str, member: &str, key: fn(&str) -> String) -> Vec<(usize, String)> {
        let items = self
            .definition
            .pointer(list)
            .map(Value::items)
            .unwrap_or_default();
        let texts: Vec<(usize, &str)> = items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| Some((index, item.str(member)?)))
            .filter(|(_, text)| member == "name" || !text.is_empty())
            .collect();
        let keys: Vec<String> = texts.iter().map(|(_, text)| key(text)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let later = repeats(&keys)
            .into_iter()
            .filter_map(|(at, _)| texts.get(at));
        later
            .map(|(index, text)| (*index, (*text).to_owned()))
            .collect()
    }
}
