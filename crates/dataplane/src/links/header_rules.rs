//! The common parts of header rules for requests and responses.

use crate::chain::{Compiler, counted};
use crate::exchange::Exchange;
use crate::headers::is_name;
use crate::rules::PatternId;
use gatewright_model::json::Value;
use gatewright_protocol::variables::Template;

/// Headers to remove, then headers to add.
#[derive(Debug, Default)]
pub struct HeaderRule {
    /// Names in lower case.
    pub remove: Vec<String>,
    /// Names in lower case, with values.
    pub add: Vec<(String, Template)>,
}

/// A rule for a path and a method.
#[derive(Debug)]
pub struct PathRule {
    path: PatternId,
    method: String,
    rule: HeaderRule,
}

impl HeaderRule {
    /// Reads an object of names and values, and a list of names. Invalid names are ignored.
    #[must_use]
    pub fn read(add: Option<&Value<'_>>, remove: Option<&Value<'_>>) -> Self {
        let names = remove.map(Value::items).unwrap_or_default();
        let names = names.iter().filter_map(Value::as_str);
        let values = add.map(Value::members).unwrap_or_default();
        let values = values.iter().filter_map(|member| {
            let value = Template::parse(member.value.as_str()?);
            Some((member.name.to_ascii_lowercase(), value))
        });
        // The platform sets the length.
        let is_ours = |name: &str| is_name(name) && name != "content-length";
        Self {
            remove: names
                .filter(|name| is_name(name))
                .map(str::to_ascii_lowercase)
                .collect(),
            add: values.filter(|(name, _)| is_ours(name)).collect(),
        }
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.add.is_empty()
    }
}

/// The rules of a list of `extended_paths` that change headers, in order. Those without a method match nothing.
pub fn path_rules(from: &mut Compiler<'_>, list: &str) -> Vec<PathRule> {
    let rows = from.rows(list).into_iter();
    let rules = rows.map(|row| PathRule {
        path: from.path(row.path()),
        method: row.method().to_owned(),
        rule: HeaderRule::read(
            row.value.get("add_headers"),
            row.value.get("delete_headers"),
        ),
    });
    let rules: Vec<PathRule> = rules.collect();
    from.origin_of_rules(list, rules.len());
    rules
}

/// The first rule that matches the requested path and method; `others` are additional forms of the path.
pub fn first_match<'r>(
    rules: &'r [PathRule],
    exchange: &mut Exchange,
    others: &[String],
) -> impl Iterator<Item = &'r HeaderRule> + use<'r> {
    let found = exchange.applicable(rules, others, |rule| (rule.path, &rule.method));
    found.map(|found| &found.rule)
}

/// A version's rule for all paths, unless it is disabled; `add` and `remove` name its members.
pub fn global_rule(from: &mut Compiler<'_>, add: &str, remove: &str, disabled: &str) -> HeaderRule {
    if from.version_switch(disabled) {
        return HeaderRule::default();
    }
    let [added, removed] = [add, remove].map(|name| from.of_version(name));
    let rule = HeaderRule::read(
        added.as_ref().map(|(value, _)| *value),
        removed.as_ref().map(|(value, _)| *value),
    );
    for ((_, pointer), count) in [(added, rule.add.len()), (removed, rule.remove.len())]
        .into_iter()
        .filter_map(|(found, count)| Some((found?, count)))
        .filter(|(_, count)| *count > 0)
    {
        from.origin(pointer, counted(count, "header"));
    }
    rule
}
