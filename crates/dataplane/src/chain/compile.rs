//! Compiles a definition into a chain.

use super::{Alternatives, Chain, Link};
use crate::errors::{ErrorRules, GatewayErrors};
use crate::exchange::XffDepth;
use crate::rules::{PathTable, PatternId};
use gatewright_model::definition::ApplicationProtocol;
use gatewright_model::json::{self, Value, pointer::push_token};
use gatewright_protocol::access::Anchors;
use std::rc::Rc;

/// The upstream's time limit where no rule sets one, in seconds.
const DEFAULT_TIMEOUT_SECONDS: usize = 30;
/// The maximum length of a body that is read into memory: an isolate has 128 MB in total
/// (<https://developers.cloudflare.com/workers/platform/limits/>).
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// The gateway settings that links depend on.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How path rules are anchored.
    pub anchors: Anchors,
    /// `IGNORE_ENDPOINT_CASE`: the path lists of all APIs ignore letter case.
    pub ignore_case: bool,
    /// `ENABLE_STRICT_ROUTES`: listen paths match complete segments only.
    pub strict_routes: bool,
    /// The header that holds the client's address (`CLIENT_IP_HEADER`), in lower case.
    pub client_ip_header: Option<String>,
    /// Which entry of `X-Forwarded-For` is the client's address (`HTTP_XFF_DEPTH`).
    pub xff_depth: XffDepth,
    /// The upstream's time limit where no rule sets one, in milliseconds; 0 means no limit (`PROXY_DEFAULT_TIMEOUT`).
    pub default_timeout_ms: u64,
    /// The maximum body length that a link can ask for, in bytes (`MAX_REQUEST_BODY_SIZE`).
    pub max_body_bytes: usize,
    /// The operator's settings for errors (`ERROR_OVERRIDES`, `OVERRIDE_MESSAGES`, `HIDE_GENERATOR_HEADER`).
    pub errors: Rc<GatewayErrors>,
    /// Generates request ids.
    pub random_id: Option<fn() -> String>,
}

impl Settings {
    /// Reads the worker variables; those that are missing or malformed keep their defaults.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let on = |name: &str| variable(name).as_deref() == Some("true");
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<usize>().ok());
        let json = |name: &str| variable(name).unwrap_or_else(|| "null".to_owned());
        let (overrides, messages) = (json("ERROR_OVERRIDES"), json("OVERRIDE_MESSAGES"));
        let read = |text| json::parse(text).ok();
        let errors = GatewayErrors::read(
            read(&overrides).as_ref(),
            read(&messages).as_ref(),
            on("HIDE_GENERATOR_HEADER"),
        );
        let seconds = number("PROXY_DEFAULT_TIMEOUT").unwrap_or(DEFAULT_TIMEOUT_SECONDS);
        Self {
            anchors: Anchors {
                prefix: on("ENABLE_PATH_PREFIX_MATCHING"),
                suffix: on("ENABLE_PATH_SUFFIX_MATCHING"),
            },
            ignore_case: on("IGNORE_ENDPOINT_CASE"),
            strict_routes: on("ENABLE_STRICT_ROUTES"),
            client_ip_header: variable("CLIENT_IP_HEADER").map(|name| name.to_ascii_lowercase()),
            xff_depth: XffDepth(number("HTTP_XFF_DEPTH").unwrap_or_default()),
            default_timeout_ms: u64::try_from(seconds)
                .unwrap_or_default()
                .saturating_mul(1000),
            max_body_bytes: number("MAX_REQUEST_BODY_SIZE").unwrap_or(MAX_BODY_BYTES),
            random_id: None,
            errors: Rc::new(errors),
        }
    }

    /// Generates a request id; empty if there is no source of randomness.
    #[must_use]
    pub fn random_id(&self) -> String {
        self.random_id.map(|make| make()).unwrap_or_default()
    }
}

/// The members of a definition that created a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOrigin {
    /// The link's name.
    pub link: &'static str,
    /// JSON Pointers into the definition.
    pub pointers: Vec<String>,
    /// A summary, such as the number of rules.
    pub detail: String,
}

/// An entry of a list of rules.
#[derive(Clone, Debug)]
pub struct Row<'d> {
    /// The entry.
    pub value: &'d Value<'d>,
    /// Its number in the list, counting disabled entries; the first is 1.
    pub number: usize,
}

impl Row<'_> {
    /// The method as written; empty if there is none.
    #[must_use]
    pub fn method(&self) -> &str {
        self.value.str("method").unwrap_or_default()
    }

    /// The path; empty if there is none.
    #[must_use]
    pub fn path(&self) -> &str {
        self.value.str("path").unwrap_or_default()
    }
}

/// A definition being compiled into a chain: the input of a link's `compile`.
pub struct Compiler<'d> {
    /// The definition.
    pub definition: &'d Value<'d>,
    /// The version whose chain is compiled, if the definition has any.
    pub version: Option<&'d Value<'d>>,
    /// The gateway's settings.
    pub settings: &'d Settings,
    /// The version's location (JSON Pointer).
    version_pointer: String,
    paths: PathTable,
    link: &'static str,
    origins: Vec<LinkOrigin>,
}

impl<'d> Compiler<'d> {
    /// Compiles the chain of a version, identified by its member of `version_data.versions`.
    #[must_use]
    pub fn chain(
        definition: &'d Value<'d>,
        version: Option<(&str, &'d Value<'d>)>,
        settings: &'d Settings,
    ) -> Chain {
        let mut compiler = Self::new(definition, version, settings);
        let links = Link::compile_all(&mut compiler);
        compiler.finish(links)
    }

    /// Creates a compiler for a definition.
    pub(crate) fn new(
        definition: &'d Value<'d>,
        version: Option<(&str, &'d Value<'d>)>,
        settings: &'d Settings,
    ) -> Self {
        let mut version_pointer = "/version_data/versions".to_owned();
        if let Some((name, _)) = version {
            push_token(&mut version_pointer, name);
        }
        Self {
            definition,
            version: version.map(|(_, version)| version),
            settings,
            version_pointer,
            paths: PathTable::new(settings.anchors),
            link: "",
            origins: Vec::new(),
        }
    }

    /// Builds the chain of these links.
    pub(crate) fn finish(mut self, links: Vec<Link>) -> Chain {
        self.begin(super::ERRORS.name);
        let errors = ErrorRules::compile(&mut self);
        self.paths.finish();
        Chain {
            alternatives: Alternatives::read(self.definition, &links),
            links,
            errors,
            paths: self.paths,
            context_variables: self
                .definition
                .bool("enable_context_vars")
                .unwrap_or_default(),
            settings: self.settings.clone(),
            origins: self.origins,
        }
    }

    /// Whether the API is an MCP proxy.
    #[must_use]
    pub fn is_mcp(&self) -> bool {
        ApplicationProtocol::read(self.definition) == ApplicationProtocol::Mcp
    }

    /// Starts compiling a link.
    pub(super) fn begin(&mut self, link: &'static str) {
        self.link = link;
    }

    /// Records a member that created the current link (JSON Pointer), and a summary of it.
    pub fn origin(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.add_origin(pointer.into(), detail.into());
    }

    /// Records the rules of a list of `extended_paths` as what created the current link, unless there are none.
    pub fn origin_of_rules(&mut self, list: &str, count: usize) {
        if count > 0 {
            self.add_origin(self.list_pointer(list), counted(count, "rule"));
        }
    }

    fn add_origin(&mut self, pointer: String, detail: String) {
        match self
            .origins
            .last_mut()
            .filter(|last| last.link == self.link)
        {
            Some(last) => {
                last.pointers.push(pointer);
                if !detail.is_empty() {
                    if !last.detail.is_empty() {
                        last.detail.push_str(", ");
                    }
                    last.detail.push_str(&detail);
                }
            }
            None => self.origins.push(LinkOrigin {
                link: self.link,
                pointers: vec![pointer],
                detail,
            }),
        }
    }

    /// A member of the version with its pointer; null counts as absent.
    #[must_use]
    pub fn of_version(&self, name: &str) -> Option<(&'d Value<'d>, String)> {
        let value = self.version?.get(name)?;
        let mut pointer = self.version_pointer.clone();
        push_token(&mut pointer, name);
        Some((value, pointer))
    }

    /// Whether a boolean member of the version is true.
    #[must_use]
    pub fn version_switch(&self, name: &str) -> bool {
        self.version
            .and_then(|version| version.bool(name))
            .unwrap_or_default()
    }

    /// Whether the rules of `extended_paths` apply (`use_extended_paths`).
    #[must_use]
    pub fn uses_extended_paths(&self) -> bool {
        self.version_switch("use_extended_paths")
    }

    /// The entries of a list of `extended_paths` that are in effect: those not disabled, and none if the simple lists
    /// are used.
    #[must_use]
    pub fn rows(&self, list: &str) -> Vec<Row<'d>> {
        let version = self.version.filter(|_| self.uses_extended_paths());
        let lists = version.and_then(|version| version.get("extended_paths"));
        let items = lists.and_then(|lists| lists.get(list));
        let items = items.map(Value::items).unwrap_or_default();
        let rows = items.iter().enumerate().map(|(index, value)| Row {
            value,
            number: index.saturating_add(1),
        });
        let is_on = |row: &Row<'_>| !row.value.bool("disabled").unwrap_or_default();
        rows.filter(is_on).collect()
    }

    /// The location of a list of `extended_paths` (JSON Pointer).
    #[must_use]
    pub fn list_pointer(&self, list: &str) -> String {
        let mut pointer = self.version_pointer.clone();
        push_token(&mut pointer, "extended_paths");
        push_token(&mut pointer, list);
        pointer
    }

    /// Whether a rule's path can't be compiled: it matches nothing, so a protective link has to fail closed itself.
    #[must_use]
    pub fn is_broken(&self, path: PatternId) -> bool {
        self.paths.is_broken(path)
    }

    /// Adds the path of a rule of the current link; letter case matters.
    pub fn path(&mut self, path: &str) -> PatternId {
        self.paths.add(path, false)
    }

    /// Adds the path of a list entry, which may ignore letter case (reference 5.2).
    pub fn list_path(&mut self, row: &Row<'_>) -> PatternId {
        let ignores = self.settings.ignore_case
            || self.version_switch("ignore_endpoint_case")
            || row.value.bool("ignore_case").unwrap_or_default();
        self.paths.add(row.path(), ignores)
    }

    /// Adds the path of a simple list, which may ignore letter case.
    pub fn simple_path(&mut self, path: &str) -> PatternId {
        let ignores = self.settings.ignore_case || self.version_switch("ignore_endpoint_case");
        self.paths.add(path, ignores)
    }
}

/// A number with its noun: "1 rule", "2 rules".
#[must_use]
pub fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}
