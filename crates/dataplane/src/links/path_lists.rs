//! Link 2, second half: the path lists (reference 5.2 no. 5): `ignored`, `black_list`, `internal` and `white_list` of
//! `extended_paths`, or the simple lists of `paths` if `use_extended_paths` is off.
//!
//! In order: an internal path is refused from outside, even if it has a mock; an ignored path passes without checking a
//! key; a blocked path is refused; with an allow list, so is every path not on it, except internal ones for looping
//! requests. In each list the first matching entry applies; if it has a `reply` action for the method, that is the
//! answer. Entries are matched against the requested path and method. With CORS on, a preflight skips the lists and
//! their replies (reference 3.4).
//!
//! What can't be parsed fails closed. An entry of `ignored` or `white_list` whose path can't be compiled matches
//! nothing, and the allow list stays in effect. An entry of `black_list` or `internal` whose path can't be compiled
//! *matches every path*: what it was meant to close is unknown, and an API that answers nothing is noticed at once,
//! while an open path is not. An action that is unknown or missing has no effect on `ignored` and `white_list`, and
//! closes its method on `black_list`. An entry of `internal` without a method applies to all of them.
//!
//! A path in which an upstream could resolve dots where the gateway sees none is refused: the upstream would serve a
//! path that the lists were not matched against. For the same reason an entry opens only a path that it opens in
//! every reading (not `/admin;.css`), unless the entry itself speaks of parameters.
//!
//! The allow list of an MCP proxy applies to JSON-RPC methods, which only messages have: opening a stream or ending a
//! session is subject to it if an entry names GET or DELETE, and otherwise allowed (reference 6.4, *Parse*).

use super::cors::{self, is_preflight};
use super::mock_responses::written_answer;
use crate::chain::{Compiler, Middleware, Row, Step, counted};
use crate::exchange::{Entry, Exchange};
use crate::failure::{Answer, Failure, Reply};
use crate::mcp::Message;
use crate::path::{self, CLIMBS};
use crate::rules::PatternId;
use gatewright_model::json::{Kind, Value, pointer::push_token};

/// The path lists.
#[derive(Debug)]
pub struct PathLists {
    ignored: List,
    blocked: List,
    internal: List,
    /// `None` if there is no allow list.
    allowed: Option<List>,
    has_cors: bool,
    /// Whether rules apply to messages.
    is_mcp: bool,
}

/// The rules of a list, in order.
#[derive(Debug)]
pub(super) struct List {
    name: &'static str,
    effect: Effect,
    rules: Vec<Rule>,
}

/// A path and the methods it applies to.
#[derive(Debug)]
struct Rule {
    path: RulePath,
    methods: Methods,
    /// Whether its path has a semicolon, so that it means parameters as they are.
    has_parameters: bool,
    number: usize,
    /// The answer of a `reply` action.
    answer: Option<Answer>,
}

/// The paths a rule applies to.
#[derive(Clone, Copy, Debug)]
enum RulePath {
    /// Those that match.
    Fitting(PatternId),
    /// All: the rule closes paths, but its own can't be parsed.
    Unknown,
}

/// The methods a rule applies to; letter case matters.
#[derive(Debug)]
enum Methods {
    All,
    Only(Vec<String>),
}

/// The effect of a list on its paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Opens,
    Closes,
}

impl RulePath {
    fn new(from: &Compiler<'_>, path: PatternId, effect: Effect) -> Self {
        if effect == Effect::Closes && from.is_broken(path) {
            return Self::Unknown;
        }
        Self::Fitting(path)
    }
}

impl Rule {
    fn applies_to(&self, method: &String) -> bool {
        match &self.methods {
            Methods::All => true,
            Methods::Only(methods) => methods.contains(method),
        }
    }

    /// Whether the rule applies to a request; `readings` are those of its path ([`readings`]).
    fn fits(&self, exchange: &mut Exchange, readings: &[Vec<String>], effect: Effect) -> bool {
        let RulePath::Fitting(path) = self.path else {
            return self.applies_to(&exchange.request.method);
        };
        if !self.applies_to(&exchange.request.method) {
            return false;
        }
        if readings.is_empty() || self.has_parameters || effect == Effect::Closes {
            return exchange.is_match(path);
        }
        let paths = &exchange.chain.paths;
        let fits = |reading: &String| paths.is_match(path, std::slice::from_ref(reading));
        readings.iter().any(|forms| forms.iter().all(fits))
    }
}

impl List {
    /// Reads the list of paths that are only reachable from inside.
    pub(super) fn internal(from: &mut Compiler<'_>) -> Self {
        Self::extended(from, "internal", Effect::Closes)
    }

    /// Reads a list of `extended_paths`.
    fn extended(from: &mut Compiler<'_>, name: &'static str, effect: Effect) -> Self {
        let mut rules = Vec::new();
        for row in from.rows(name) {
            let path = if name == "internal" {
                // Letter case always matters for internal paths.
                from.path(row.path())
            } else {
                from.list_path(&row)
            };
            rules.push(Rule {
                path: RulePath::new(from, path, effect),
                methods: methods(&row, effect),
                has_parameters: row.path().contains(';'),
                number: row.number,
                answer: None,
            });
            rules.extend(replies(&row).map(|(method, action)| Rule {
                path: RulePath::Fitting(path),
                methods: Methods::Only(vec![method.to_owned()]),
                has_parameters: row.path().contains(';'),
                number: row.number,
                answer: Some(written_answer(action, "data")),
            }));
        }
        if !rules.is_empty() {
            let pointer = from.list_pointer(name);
            from.origin(pointer, described(&rules, "rule"));
        }
        Self {
            name,
            effect,
            rules,
        }
    }

    /// Reads a list of `paths`, whose entries apply to all methods.
    fn simple(from: &mut Compiler<'_>, name: &'static str, effect: Effect) -> Self {
        let found = from
            .of_version("paths")
            .filter(|_| !from.uses_extended_paths());
        let list = found.as_ref().and_then(|(paths, _)| paths.get(name));
        let texts = list.map(Value::items).unwrap_or_default().iter();
        let mut rules = Vec::new();
        for (index, text) in texts.enumerate() {
            let Some(text) = text.as_str() else { continue };
            let path = from.simple_path(text);
            rules.push(Rule {
                path: RulePath::new(from, path, effect),
                methods: Methods::All,
                has_parameters: text.contains(';'),
                number: index.saturating_add(1),
                answer: None,
            });
        }
        if let Some((_, mut pointer)) = found.filter(|_| !rules.is_empty()) {
            push_token(&mut pointer, name);
            from.origin(pointer, described(&rules, "path"));
        }
        Self {
            name,
            effect,
            rules,
        }
    }

    /// The first matching rule.
    fn find(&self, exchange: &mut Exchange, readings: &[Vec<String>]) -> Option<&Rule> {
        let mut rules = self.rules.iter();
        rules.find(|rule| rule.fits(exchange, readings, self.effect))
    }

    /// Whether a path on the list is requested from outside.
    pub(super) fn hides(&self, exchange: &mut Exchange) -> bool {
        exchange.request.entry == Entry::Client && self.find(exchange, &[]).is_some()
    }

    /// Applies the first matching rule and notes it: returns its reply, or `step`.
    fn decides(
        &self,
        exchange: &mut Exchange,
        readings: &[Vec<String>],
        what: &str,
        step: Step,
    ) -> Option<Step> {
        let rule = self.find(exchange, readings)?;
        exchange.note(|| {
            let what = rule.answer.as_ref().map_or(what, |_| "answers for");
            let why = match rule.path {
                RulePath::Fitting(_) => "",
                RulePath::Unknown => ", as its own can't be read",
            };
            let (number, name) = (rule.number, self.name);
            format!("rule {number} of {name} {what} the path{why}")
        });
        let answer = rule.answer.clone();
        Some(answer.map_or(step, |answer| Step::Reply(Reply::Answer(answer))))
    }
}

/// Each form of a request's path that rules are matched with, followed by what a lenient upstream may take it for; empty
/// if every reader agrees, and for a message, which has no path.
fn readings(exchange: &Exchange) -> Vec<Vec<String>> {
    let is_plain = |path: &&str| path::alternatives(path).is_empty();
    let paths = exchange.rule_paths();
    if exchange.rpc.is_some() || paths.iter().all(is_plain) {
        return Vec::new();
    }
    let of_form = |path: &str| [vec![path.to_owned()], path::alternatives(path)].concat();
    paths.into_iter().map(of_form).collect()
}

/// The refusal of a path.
fn refused() -> Step {
    Step::Reply(Failure::EndpointForbidden.into())
}

/// The number of rules in a list, and how many of them close every path.
fn described(rules: &[Rule], word: &str) -> String {
    let rows = rules.iter().filter(|rule| rule.answer.is_none()).count();
    let count = counted(rows, word);
    let is_unknown = |rule: &&Rule| matches!(rule.path, RulePath::Unknown);
    match rules.iter().filter(is_unknown).count() {
        0 => count,
        unknown => format!("{count} ({unknown} can't be read and close every path)"),
    }
}

/// The `method_actions` of an entry that reply.
fn replies<'r>(row: &'r Row<'_>) -> impl Iterator<Item = (&'r str, &'r Value<'r>)> {
    let members = row.value.get("method_actions").map(Value::members);
    members
        .unwrap_or_default()
        .iter()
        .filter_map(move |member| {
            let action = member.value.str("action").unwrap_or_default();
            (action == "reply").then_some((&*member.name, &member.value))
        })
}

/// The methods of an entry: those of `method_actions` if there are any, or else `method`. An entry with an empty
/// `method_actions` opens nothing.
fn methods(row: &Row<'_>, effect: Effect) -> Methods {
    let actions = row.value.get("method_actions");
    let members = actions.map(Value::members).unwrap_or_default();
    let is_unset = match actions.map(|actions| &actions.kind) {
        Some(Kind::Object(_)) => effect == Effect::Closes,
        _ => true,
    };
    if members.is_empty() && is_unset {
        return match row.method() {
            "" => Methods::All,
            method => Methods::Only(vec![method.to_owned()]),
        };
    }
    let is_meant = |action: &str| match action {
        "reply" => false,
        "no_action" => true,
        _ => effect == Effect::Closes,
    };
    let meant = members
        .iter()
        .filter(|member| is_meant(member.value.str("action").unwrap_or_default()));
    Methods::Only(
        meant
            .map(|member| member.name.clone().into_owned())
            .collect(),
    )
}

impl PathLists {
    /// Decides about a request from outside or inside.
    fn decide(&self, exchange: &mut Exchange) -> Step {
        if path::climbs(exchange.request.path.decoded()) {
            exchange.remark(CLIMBS);
            return refused();
        }
        let is_inside = exchange.request.entry != Entry::Client;
        let readings = &readings(exchange);
        let closes =
            |list: &List, on: &mut Exchange| list.decides(on, readings, "closes", refused());
        if !is_inside && let Some(step) = closes(&self.internal, exchange) {
            return step;
        }
        if let Some(step) = self
            .ignored
            .decides(exchange, readings, "asks no key for", Step::Next)
        {
            exchange.ignored = matches!(step, Step::Next);
            return step;
        }
        if let Some(step) = closes(&self.blocked, exchange) {
            return step;
        }
        if is_inside && self.is_internal(exchange) {
            exchange.remark("an internal path is reached from inside");
            return Step::Next;
        }
        let Some(allowed) = &self.allowed else {
            return Step::Next;
        };
        let method = &exchange.request.method;
        let is_answer = |message: &Message| !message.is_request();
        let opens = || !allowed.rules.iter().any(|rule| rule.applies_to(method));
        let has_no_method =
            exchange.rpc.as_ref().is_some_and(is_answer) || (method != "POST" && opens());
        if self.is_mcp && has_no_method {
            return Step::Next;
        }
        if let Some(step) = allowed.decides(exchange, readings, "allows", Step::Next) {
            return step;
        }
        exchange.remark("no rule of white_list allows it");
        if exchange.rpc.is_some() {
            let words = "Access to this operation has been disallowed".to_owned();
            return Step::Reply(Reply::saying(Failure::ResourceDisallowed, words));
        }
        refused()
    }

    /// Whether a rule that could be parsed makes the path internal.
    fn is_internal(&self, exchange: &mut Exchange) -> bool {
        let is_known = |rule: &&Rule| matches!(rule.path, RulePath::Fitting(_));
        let mut known = self.internal.rules.iter().filter(is_known);
        known.any(|rule| rule.fits(exchange, &[], Effect::Closes))
    }
}

impl Middleware for PathLists {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let mut list = |name: &'static str, effect| {
            if from.uses_extended_paths() {
                List::extended(from, name, effect)
            } else if name == "internal" {
                let rules = Vec::new();
                List {
                    name,
                    effect,
                    rules,
                }
            } else {
                List::simple(from, name, effect)
            }
        };
        let ignored = list("ignored", Effect::Opens);
        let blocked = list("black_list", Effect::Closes);
        let internal = list("internal", Effect::Closes);
        let allowed = list("white_list", Effect::Opens);
        let is_empty = [&ignored, &blocked, &internal, &allowed]
            .iter()
            .all(|list| list.rules.is_empty());
        (!is_empty).then(|| Self {
            ignored,
            blocked,
            internal,
            allowed: (!allowed.rules.is_empty()).then_some(allowed),
            has_cors: cors::is_on(from.definition),
            is_mcp: from.is_mcp(),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if self.has_cors && is_preflight(exchange) {
            exchange.remark("a preflight skips the lists");
            return Step::Next;
        }
        self.decide(exchange)
    }
}

#[cfg(test)]
mod tests;
