//! Entries of lists that have to differ from each other.

use std::collections::BTreeSet;

use super::Rules;
use crate::findings::shown;
use crate::issue::IssueCode;
use crate::json::Value;

impl Rules<'_, '_> {
    /// Reference section 6.1: compared without spaces at the ends and without regard to case.
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

    /// Entries of a list of objects whose member was there before: index and text. Empty texts say
    /// nothing, so they aren't compared, except that of a data source as in the reference.
    fn repeated(
        &self,
        list: &str,
        member: &str,
        key: impl Fn(&str) -> String,
    ) -> Vec<(usize, String)> {
        let items = self
            .definition
            .pointer(list)
            .map(Value::items)
            .unwrap_or_default();
        let mut seen = BTreeSet::new();
        let named = items.iter().enumerate();
        named
            .filter_map(|(index, item)| Some((index, item.str(member)?)))
            .filter(|(_, text)| member == "name" || !text.is_empty())
            .filter(|(_, text)| !seen.insert(key(text)))
            .map(|(index, text)| (index, text.to_owned()))
            .collect()
    }
}
