//! Who may use what of a proxy: the rights of policies and keys.

use gatewright_model::json::{Value, parse};
use gatewright_model::mcp::{Category, McpRights, NameRules, Readings, permits};
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};

use super::method_of;
use crate::state::access::rate_words;

/// Who has rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Whoever has this policy.
    Policy,
    /// Whoever has this key.
    Key,
}

/// Somebody with rights at a proxy.
#[derive(Clone, Debug)]
pub struct Caller {
    /// What it is.
    pub kind: CallerKind,
    /// What people call it.
    pub name: String,
    /// Its page.
    pub url: String,
    /// Why all of its requests are refused; empty if they aren't.
    pub refused: String,
    rights: McpRights,
    methods: Names,
    primitives: [Names; 3],
}

/// Whether somebody may use something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may, at these rates beside all others.
    Yes(Vec<String>),
    /// It may not, for this reason.
    No(String),
}

/// An expression for a whole name; `None` for one that can't be compiled: on a list of what is allowed it fits
/// nothing, on one of what is blocked everything. As the gateway does it.
type Expression = Option<Regex>;

#[derive(Clone, Debug, Default)]
struct Names {
    allowed: Vec<Expression>,
    blocked: Vec<Expression>,
}

impl Names {
    fn new(rules: &NameRules) -> Self {
        let whole = |text: &String, over_lines: bool| {
            let text = format!("^(?:{})$", portable(text));
            RegexBuilder::new(&text)
                .dot_matches_new_line(over_lines)
                .build()
                .ok()
        };
        Self {
            allowed: rules
                .allowed
                .iter()
                .map(|text| whole(text, false))
                .collect(),
            // A line break in a name must not lead around a rule.
            blocked: rules.blocked.iter().map(|text| whole(text, true)).collect(),
        }
    }
}

fn fits(rule: &Expression, name: &str, broken: bool) -> bool {
    rule.as_ref().map_or(broken, |rule| rule.is_match(name))
}

impl Caller {
    /// Somebody with what a session or a policy gives at an API; `None` if that is nothing.
    #[must_use]
    pub fn of(kind: CallerKind, text: &str, api: &str) -> Option<Self> {
        let value = parse(text).ok()?;
        let rights = McpRights::read(value.get("access_rights")?.get(api)?);
        if kind == CallerKind::Policy && !gives_access(&value) {
            return None;
        }
        let inactive = value.bool("is_inactive") == Some(true);
        let refused = match kind {
            CallerKind::Policy if inactive => "It is switched off: keys with it are refused.",
            CallerKind::Key if inactive => "It is switched off.",
            _ => "",
        };
        Some(Self {
            kind,
            name: String::new(),
            url: String::new(),
            refused: refused.to_owned(),
            methods: Names::new(&rights.methods),
            primitives: Category::ALL.map(|category| Names::new(rights.of(category))),
            rights,
        })
    }

    /// Whether it may use something of the proxy, and how often.
    #[must_use]
    pub fn may(&self, category: Category, name: &str) -> Answer {
        if !self.refused.is_empty() {
            return Answer::No(self.refused.clone());
        }
        let method = method_of(category);
        let Names { allowed, blocked } = &self.methods;
        if blocked.iter().any(|rule| fits(rule, method, true)) {
            return Answer::No(format!("Its rights block the method {method}."));
        }
        if !permits(allowed, &[], |rule| fits(rule, method, false)) {
            return Answer::No(format!("Its rights allow other methods than {method}."));
        }
        let [tools, resources, prompts] = &self.primitives;
        let Names { allowed, blocked } = match category {
            Category::Tool => tools,
            Category::Resource => resources,
            Category::Prompt => prompts,
        };
        let word = category.plural();
        if blocked.iter().any(Option::is_none) {
            return Answer::No(format!(
                "An expression for blocked {word} can't be read: all are refused."
            ));
        }
        let readings = Readings::of(category, name);
        let fit = |rule: &Expression, name: &str| fits(rule, name, false);
        if readings.permitted(allowed, blocked, fit) {
            let rates = self.rights.rates(method, Some((category, name)));
            let limited = rates.into_iter().filter(|(_, rate)| rate.is_limited());
            return Answer::Yes(limited.map(|(_, rate)| rate_words(rate)).collect());
        }
        let is_blocked = readings
            .all()
            .any(|name| blocked.iter().any(|rule| fit(rule, name)));
        Answer::No(match is_blocked {
            true => "Its rights block it.".to_owned(),
            false => format!("Its rights allow other {word}."),
        })
    }
}

/// Whether a policy gives its rights to keys: one with other partitions only gives none.
fn gives_access(policy: &Value<'_>) -> bool {
    let partitions = policy.get("partitions");
    let on = |name: &str| partitions.is_some_and(|all| all.bool(name) == Some(true));
    let others = ["quota", "rate_limit", "complexity"];
    on("acl") || on("per_api") || !others.into_iter().any(on)
}
