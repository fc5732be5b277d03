//! The common parts of links that change bodies: path rules whose bodies an extra reads, and the facts about the
//! request that it gets.

use super::response_headers::TargetPath;
use crate::chain::{Compiler, Need, Row, Step};
use crate::exchange::{Body, Exchange};
use crate::extras::{ExtraCall, Extracted, Subject};
use crate::facts::{list, object, push_object};
use crate::failure::{Failure, Reply};
use crate::headers::canonical;
use crate::rules::PatternId;
use gatewright_model::json::{self, Value};
use gatewright_model::order::sorted;
use std::rc::Rc;

/// The rules of a list.
#[derive(Debug)]
pub struct BodyRules {
    rows: Vec<BodyRule>,
    module: &'static str,
    function: &'static str,
    subject: Subject,
    /// Rules for answers are also matched with the path of the target in front (reference 3.1).
    front: Option<TargetPath>,
}

/// A rule for the bodies of a path and a method. Without a method it matches nothing.
#[derive(Debug)]
pub struct BodyRule {
    path: PatternId,
    method: String,
    number: usize,
    settings: Rc<str>,
    wanted: WantedFacts,
}

/// The facts about the request that the extra gets.
#[derive(Debug, Default)]
pub struct WantedFacts {
    /// The names of context variables that the settings use.
    names: Vec<String>,
    /// The names of headers in the settings, if they use the map of headers.
    headers: Vec<String>,
    /// Whether it gets the key's metadata.
    pub session: bool,
    /// Texts with variables; the facts contain their filled-in values, keyed by the texts.
    pub texts: Vec<(String, gatewright_protocol::variables::Template)>,
}

/// The prefixes of context variables' names.
const NAMES: [&str; 9] = [
    "cookies_",
    "headers",
    "jwt_claims_",
    "path",
    "remote_addr",
    "request_data",
    "request_id",
    "token",
    "trigger-",
];

impl WantedFacts {
    /// The facts for settings with this text: the variables whose names occur in it.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let words = || text.split(|c| !is_name(c));
        let is_ours = |word: &&str| NAMES.iter().any(|name| word.starts_with(name));
        let unique = |words: Vec<String>| {
            let mut words = sorted(words, String::clone);
            words.dedup();
            words
        };
        let names = unique(words().filter(is_ours).map(str::to_owned).collect());
        let has_map = names.iter().any(|name| name == "headers");
        let is_header = |word: &&str| has_map && !word.is_empty() && canonical(word) == **word;
        Self {
            headers: unique(words().filter(is_header).map(str::to_owned).collect()),
            names,
            ..Self::default()
        }
    }

    /// Whether form fields are among the facts, which requires the body.
    fn needs_fields(&self) -> bool {
        let is_field = |name: &String| name.starts_with("request_data");
        self.names.iter().any(is_field)
    }

    /// Writes the facts as a line of JSON.
    fn facts(&self, exchange: &Exchange) -> String {
        let mut facts = format!("{{\"now\":{}", exchange.request.now_ms.div_euclid(1000));
        if exchange.has_context() {
            facts.push_str(",\"context\":");
            let named = self.names.iter();
            let named = named.filter_map(|name| {
                let value = match name.as_str() {
                    "headers" => self.header_map(exchange),
                    name => variable(exchange, name)?,
                };
                Some((name.as_str(), value))
            });
            push_object(&mut facts, named);
        }
        if self.session {
            facts.push_str(",\"meta\":");
            let session = exchange.key.session.as_ref();
            let members = session.map_or(&[][..], |session| &session.meta_data);
            let members = members.iter();
            push_object(
                &mut facts,
                members.map(|(name, json)| (name.as_str(), json.clone())),
            );
        }
        if !self.texts.is_empty() {
            facts.push_str(",\"variables\":");
            let escape = gatewright_protocol::variables::Escape::Query;
            let texts = self.texts.iter();
            let filled = texts
                .map(|(name, text)| (name.as_str(), json::quote(&exchange.fill(text, escape))));
            push_object(&mut facts, filled);
        }
        facts.push('}');
        facts
    }

    /// The headers of the request that the settings name, each a list of one value.
    fn header_map(&self, exchange: &Exchange) -> String {
        let sent = self.headers.iter().filter_map(|name| {
            let value = exchange.request.headers.get(&name.to_ascii_lowercase())?;
            Some((name.as_str(), list([value.as_str()].into_iter())))
        });
        object(sent)
    }
}

/// A context variable as JSON. Path segments are a list whose first element is empty, and parameters are lists by name
/// (reference 3.11).
fn variable(exchange: &Exchange, name: &str) -> Option<String> {
    match name {
        "path_parts" => {
            let path = exchange.request_value("path")?;
            Some(list(path.split('/')))
        }
        "request_data" => {
            let grouped = exchange.grouped_parameters();
            let grouped = grouped.iter();
            let grouped = grouped.map(|(name, values)| {
                let values = values.iter().map(String::as_str);
                (name.as_str(), list(values))
            });
            Some(object(grouped))
        }
        // Claims keep their types.
        _ if exchange.claim(name).is_some() => exchange.claim(name).map(str::to_owned),
        _ => exchange
            .context_value(name)
            .map(|value| json::quote(&value)),
    }
}

impl BodyRules {
    /// Compiles the rules of a list of `extended_paths`; `read` returns an entry's settings and facts, or `None` to
    /// skip the entry. `None` if the list has no rules.
    pub fn compile(
        from: &mut Compiler<'_>,
        list: &str,
        (module, function): (&'static str, &'static str),
        read: impl Fn(&Row<'_>) -> Option<(String, WantedFacts)>,
    ) -> Option<Self> {
        let answers = list.ends_with("_response");
        let rows: Vec<BodyRule> = from
            .rows(list)
            .iter()
            .filter_map(|row| {
                let (settings, wanted) = read(row)?;
                Some(BodyRule {
                    path: from.path(row.path()),
                    method: row.method().to_owned(),
                    number: row.number,
                    settings: settings.into(),
                    wanted,
                })
            })
            .collect();
        from.origin_of_rules(list, rows.len());
        (!rows.is_empty()).then(|| Self {
            rows,
            module,
            function,
            subject: if answers {
                Subject::Answer
            } else {
                Subject::Request
            },
            front: TargetPath::read(from).filter(|_| answers),
        })
    }

    /// The first rule from index `from` on that matches the requested path and method.
    fn find(&self, exchange: &mut Exchange, from: usize) -> Option<(usize, &BodyRule)> {
        let front = self.front.as_ref();
        let others = front.map(|front| front.paths(exchange)).unwrap_or_default();
        let mut rows = self.rows.iter().enumerate().skip(from);
        rows.find(|(_, row)| {
            row.method == exchange.request.method
                && (exchange.is_match(row.path) || exchange.chain.paths.is_match(row.path, &others))
        })
    }

    /// Requests the body if a rule needs form fields before its extra can be called.
    #[must_use]
    pub fn needs_form(&self, exchange: &mut Exchange) -> Option<Step> {
        if exchange.body != Body::Streamed || !exchange.is_form() || !exchange.has_context() {
            return None;
        }
        let (_, row) = self.find(exchange, 0)?;
        let max = exchange.chain.settings.max_body_bytes;
        row.wanted
            .needs_fields()
            .then_some(Step::Need(Need::Body { max }))
    }

    fn call(&self, (rule, row): (usize, &BodyRule), exchange: &Exchange) -> ExtraCall {
        ExtraCall {
            module: self.module,
            function: self.function,
            settings: Rc::clone(&row.settings),
            facts: row.wanted.facts(exchange),
            subject: self.subject,
            max: exchange.chain.settings.max_body_bytes,
            rule,
        }
    }

    /// Applies the rules to a request's body. `take` gets the report of a rule that succeeded.
    pub fn request(
        &self,
        exchange: &mut Exchange,
        take: impl Fn(&mut Exchange, &Value<'_>),
    ) -> Step {
        let extracted = exchange.extracted.take();
        let asked = std::mem::take(&mut exchange.extra_rule);
        let Some((index, row)) = self.find(exchange, asked) else {
            return Step::Next;
        };
        let Some(extracted) = extracted else {
            if let Some(form) = self.needs_form(exchange) {
                return form;
            }
            let call = self.call((index, row), exchange);
            exchange.extra_rule = index;
            return Step::Need(Need::Extra(Box::new(call)));
        };
        match self.outcome(exchange, row, extracted) {
            RuleOutcome::TooLarge => Step::Reply(Reply::from(Failure::BodyOverLimit)),
            RuleOutcome::Broken => {
                // The rule is treated as absent: the next one applies.
                exchange.extra_rule = index.saturating_add(1);
                self.request(exchange, take)
            }
            RuleOutcome::Nothing => self.next(exchange, index, take),
            RuleOutcome::Report(report) => {
                if let Ok(report) = json::parse(&report) {
                    take(exchange, &report);
                }
                self.next(exchange, index, take)
            }
        }
    }

    /// Continues after a rule. A message can have one rule for its method and one for its primitive.
    fn next(
        &self,
        exchange: &mut Exchange,
        index: usize,
        take: impl Fn(&mut Exchange, &Value<'_>),
    ) -> Step {
        if exchange.rpc.is_none() {
            return Step::Next;
        }
        exchange.extra_rule = index.saturating_add(1);
        self.request(exchange, take)
    }

    /// Queues the calls about the answer's body.
    pub fn response(&self, exchange: &mut Exchange) {
        self.ask(exchange, 0);
    }

    fn ask(&self, exchange: &mut Exchange, from: usize) {
        if let Some(found) = self.find(exchange, from) {
            let call = self.call(found, exchange);
            exchange.ask_of_answer(call);
        }
    }

    /// Takes the result of a call. `take` gets the report of a rule that succeeded.
    ///
    /// # Errors
    /// If the answer exceeds the size that a rule may read: passed on unchanged it could reveal what the rule hides.
    pub fn answered(
        &self,
        exchange: &mut Exchange,
        extracted: Extracted,
        take: impl FnOnce(&mut Exchange, &Value<'_>),
    ) -> Result<(), Failure> {
        let asked = std::mem::take(&mut exchange.extra_rule);
        let Some((index, row)) = self.find(exchange, asked) else {
            return Ok(());
        };
        let is_message = exchange.rpc.is_some();
        match self.outcome(exchange, row, extracted) {
            RuleOutcome::TooLarge => return Err(Failure::Upstream),
            RuleOutcome::Broken => self.ask(exchange, index.saturating_add(1)),
            RuleOutcome::Nothing => {}
            RuleOutcome::Report(report) => {
                if let Ok(report) = json::parse(&report) {
                    take(exchange, &report);
                }
                if is_message {
                    self.ask(exchange, index.saturating_add(1));
                }
            }
        }
        Ok(())
    }

    /// Interprets an extra's report and notes it in the trace.
    fn outcome(
        &self,
        exchange: &mut Exchange,
        row: &BodyRule,
        extracted: Extracted,
    ) -> RuleOutcome {
        let number = row.number;
        let (outcome, words) = match extracted {
            Extracted::TooLarge => (
                RuleOutcome::TooLarge,
                "the body is too long to be read".to_owned(),
            ),
            Extracted::Failed => (
                RuleOutcome::Nothing,
                "it has failed, the body stays".to_owned(),
            ),
            Extracted::Report { text, replaced } => {
                let report = json::parse(&text).ok();
                let member = |name: &str| report.as_ref().and_then(|report| report.str(name));
                if let Some(why) = member("broken") {
                    let words = format!("it is left out: {why}");
                    (RuleOutcome::Broken, words)
                } else if let Some(why) = member("error") {
                    (RuleOutcome::Nothing, format!("{why}, the body stays"))
                } else {
                    let words = if replaced {
                        "another body"
                    } else {
                        "the body stays"
                    };
                    (RuleOutcome::Report(text), words.to_owned())
                }
            }
        };
        exchange.note(|| format!("rule {number}: {words}"));
        outcome
    }
}

/// The result of a rule.
enum RuleOutcome {
    /// The body is too large.
    TooLarge,
    /// The rule can't be parsed and is skipped.
    Broken,
    /// The body is unchanged.
    Nothing,
    /// The rule succeeded.
    Report(String),
}

#[cfg(test)]
mod tests {
    use super::{WantedFacts, variable};
    use crate::testing::send;

    #[test]
    fn map_of_headers_contains_those_that_the_settings_name() {
        let definition = r#"{"enable_context_vars":true,"proxy":{"listen_path":"/api/"}}"#;
        let headers = [("X-In", "a \"b\""), ("X-Other", "1"), ("Cookie", "c=d")];
        let sent = send(definition, "GET", "/x", &headers);
        let context = |text: &str| {
            let facts = WantedFacts::of(text).facts(&sent.exchange);
            let (_, context) = facts.split_once("\"context\":").unwrap();
            context.strip_suffix('}').unwrap().to_owned()
        };
        assert_eq!(
            context(r#"{{ index ._gateway_context.headers "X-In" 0 }} X-None x-other"#),
            r#"{"headers":{"X-In":["a \"b\""]}}"#
        );
        assert_eq!(
            context("{{ ._gateway_context.headers }}"),
            r#"{"headers":{}}"#
        );
        assert_eq!(
            context("{{ ._gateway_context.headers_X_In }} X-Other"),
            r#"{"headers_X_In":"a \"b\""}"#
        );
    }

    #[test]
    fn claims_keep_their_types() {
        let definition = r#"{"enable_context_vars":true,"proxy":{"listen_path":"/api/"}}"#;
        let mut exchange = send(definition, "GET", "/x", &[]).exchange;
        exchange.key.claims = r#"{"sub":"ann","n":2.5,"l":["a"]}"#.into();
        for (name, json) in [
            ("jwt_claims_sub", Some("\"ann\"")),
            ("jwt_claims_n", Some("2.5")),
            ("jwt_claims_l", Some("[\"a\"]")),
            ("jwt_claims_none", None),
        ] {
            assert_eq!(variable(&exchange, name).as_deref(), json, "{name}");
        }
    }
}
