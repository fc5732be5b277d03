//! Lists of `error_overrides`: which rule matches an error, and the answer it gives (reference 3.3).

use super::body::{BodyTemplate, Values};
use super::format::Format;
use super::member::MemberPath;
use crate::failure::sendable;
use crate::headers::{answer_value, is_name};
use crate::rules::regex;
use gatewright_model::json::Value;
use gatewright_model::json::pointer::push_token;
use regex_lite::Regex;

/// The rules of one level; those for an exact status precede those for a class.
#[derive(Debug, Default)]
pub struct Overrides {
    rules: Vec<Rule>,
}

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    scope: Scope,
    condition: Condition,
    /// The status to send, if it differs from the error's.
    status: Option<u16>,
    /// Headers, with names in lower case.
    pub(super) headers: Vec<(String, String)>,
    body: Body,
    message: String,
    /// The rule's location (JSON Pointer).
    pub(super) pointer: String,
}

/// The statuses a rule applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Exact(u16),
    /// All with this first digit.
    Class(u16),
}

/// The errors of its status a rule applies to: matching one of the conditions is enough, and without any the rule
/// always applies. Of an answer of the upstream, a flag alone decides.
#[derive(Debug)]
struct Condition {
    /// The error has this flag.
    flag: Option<String>,
    /// The message or body matches.
    pattern: Option<Regex>,
    member: Option<Member>,
}

/// A condition on a member of the upstream's body.
#[derive(Debug)]
struct Member {
    path: MemberPath,
    value: String,
    pattern: Option<Regex>,
}

/// The body that a rule answers with.
#[derive(Debug)]
enum Body {
    /// The error's own body.
    Unchanged,
    /// The default body with the rule's message.
    Default,
    Own(BodyTemplate),
}

/// What is known about an error when rules are matched.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen<'e> {
    /// An error of the gateway.
    Gateway { flag: &'e str, message: &'e str },
    /// An answer of the upstream, and the start of its body if there is one.
    Upstream { status: u16, body: Option<&'e str> },
}

/// The flag of an answer of the upstream.
const fn upstream_flag(status: u16) -> &'static str {
    if status >= 500 { "URS" } else { "" }
}

/// Whether a rule matches an answer of the upstream, or what it needs to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Fits,
    FitsNot,
    NeedsBody,
}

impl Overrides {
    /// Reads the value of `error_overrides` at `pointer`.
    #[must_use]
    pub fn read(value: Option<&Value<'_>>, pointer: &str) -> Self {
        let mut rules = Vec::new();
        for list in value.map(Value::members).unwrap_or_default() {
            let Some(scope) = Scope::read(&list.name) else {
                continue;
            };
            let mut pointer = pointer.to_owned();
            push_token(&mut pointer, &list.name);
            for (index, rule) in list.value.items().iter().enumerate() {
                rules.extend(Rule::read(scope, rule, format!("{pointer}/{index}")));
            }
        }
        let is_class = |rule: &Rule| matches!(rule.scope, Scope::Class(_));
        let (classes, mut rules): (Vec<_>, Vec<_>) = rules.into_iter().partition(is_class);
        rules.extend(classes);
        Self { rules }
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The number of rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// The rules for a status, in the order in which they are tried.
    pub(super) fn of(&self, status: u16) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| match rule.scope {
            Scope::Exact(exact) => exact == status,
            Scope::Class(class) => status.checked_div(100) == Some(class),
        })
    }
}

impl Scope {
    /// Parses a status or a class; `None` for any other name.
    fn read(name: &str) -> Option<Self> {
        let digits = name.strip_suffix("xx").unwrap_or(name);
        let number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: u16 = number.then(|| digits.parse().ok())??;
        match (name.len(), digits.len()) {
            (3, 1) => Some(Self::Class(number)),
            (3, 3) => Some(Self::Exact(number)),
            _ => None,
        }
    }
}

impl Rule {
    /// Reads a rule; `None` if its pattern or body can't be parsed.
    fn read(scope: Scope, value: &Value<'_>, pointer: String) -> Option<Self> {
        let response = value.get("response")?;
        let text = |name: &str| response.str(name).unwrap_or_default();
        let body = match (text("body"), text("template"), text("message")) {
            ("", "", "") => Body::Unchanged,
            ("", "" | "error", _) => Body::Default,
            // Template files are not supported.
            ("", _, _) => return None,
            (body, _, _) => Body::Own(BodyTemplate::parse(body)?),
        };
        let headers = response.get("headers").map(Value::members);
        let headers = headers.unwrap_or_default().iter();
        let headers = headers.filter(|member| is_name(&member.name));
        let headers = headers.filter_map(|member| {
            let value = answer_value(member.value.as_str()?);
            Some((member.name.to_ascii_lowercase(), value))
        });
        Some(Self {
            scope,
            condition: Condition::read(value.get("match"))?,
            status: response.int("status_code").and_then(sendable),
            headers: headers.collect(),
            body,
            message: text("message").to_owned(),
            pointer,
        })
    }

    /// Whether the rule matches an error.
    pub(super) fn decide(&self, seen: Seen<'_>) -> Decision {
        let Condition {
            flag,
            pattern,
            member,
        } = &self.condition;
        let own = match seen {
            Seen::Gateway { flag, .. } => flag,
            Seen::Upstream { status, .. } => upstream_flag(status),
        };
        let reads = pattern.is_some() || member.is_some();
        let fits = match (flag, seen) {
            (Some(flag), _) if flag == own => true,
            // Only errors of the gateway have other flags, and may match in another way.
            (Some(_), Seen::Upstream { .. }) => false,
            (flag, _) if !reads => flag.is_none(),
            (_, Seen::Gateway { message, .. }) => finds(pattern.as_ref(), message),
            (_, Seen::Upstream { body: None, .. }) => return Decision::NeedsBody,
            (
                _,
                Seen::Upstream {
                    body: Some(body), ..
                },
            ) => {
                finds(pattern.as_ref(), body)
                    || member.as_ref().is_some_and(|member| member.is_in(body))
            }
        };
        if fits {
            Decision::Fits
        } else {
            Decision::FitsNot
        }
    }

    /// The status to send for an error.
    pub(super) fn status(&self, status: u16) -> u16 {
        self.status.unwrap_or(status)
    }

    /// The body's format according to the rule's own `Content-Type`, if that is JSON or XML.
    fn kind(&self) -> Option<Format> {
        let mut headers = self.headers.iter();
        let own = headers.find(|(name, _)| name == "content-type");
        own.and_then(|(_, media)| Format::written(media))
    }

    /// The body to send; `None` keeps the error's own. `violations` is what is wrong with the request body, or empty.
    pub(super) fn body(&self, format: Format, status: u16, violations: &str) -> Option<String> {
        match &self.body {
            Body::Unchanged => None,
            Body::Default => Some(format.body_of(&format.escape(&self.message))),
            Body::Own(template) => {
                let values = Values {
                    status: self.status(status),
                    message: &self.message,
                    violations,
                };
                Some(template.fill(self.kind().unwrap_or(format), &values))
            }
        }
    }
}

impl Condition {
    /// Reads `match`; `None` if its pattern can't be compiled.
    fn read(value: Option<&Value<'_>>) -> Option<Self> {
        let text = |name: &str| {
            let text = value.and_then(|value| value.str(name));
            text.filter(|text| !text.is_empty())
        };
        // A rule whose pattern can't be compiled is skipped, whatever else it matches on.
        let pattern = match text("message_pattern") {
            Some(pattern) => Some(regex(pattern)?),
            None => None,
        };
        let value = text("body_value").unwrap_or_default();
        let member = text("body_field").map(|path| Member {
            path: MemberPath::parse(path),
            // A value must match as a whole: `E1` doesn't fit `E10`.
            pattern: regex(&format!("^(?:{value})$")),
            value: value.to_owned(),
        });
        Some(Self {
            flag: text("flag").map(str::to_owned),
            pattern,
            member,
        })
    }
}

impl Member {
    /// Whether a body has the member with a matching value.
    fn is_in(&self, body: &str) -> bool {
        let found = self.path.find(body);
        found.is_some_and(|found| found == self.value || finds(self.pattern.as_ref(), &found))
    }
}

fn finds(pattern: Option<&Regex>, text: &str) -> bool {
    pattern.is_some_and(|pattern| pattern.is_match(text))
}
