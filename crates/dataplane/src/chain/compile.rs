//! Reading a definition into a chain.

use super::{Alternatives, Chain, Link};
use crate::errors::{ErrorRules, GatewayErrors};
use crate::exchange::XffDepth;
use crate::rules::{Anchors, PathTable, PatternId};
use gatewright_model::definition::Speaks;
use gatewright_model::json::{self, Value, pointer::push_token};
use std::rc::Rc;

/// How long an upstream may take that no rule speaks of.
const DEFAULT_TIMEOUT_SECONDS: usize = 30;
/// The longest body that is read into memory: an isolate has 128 MB for everything
/// (<https://developers.cloudflare.com/workers/platform/limits/>).
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// How the gateway is set up, as far as links go by it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which ends of a path its rules are bound to.
    pub anchors: Anchors,
    /// `IGNORE_ENDPOINT_CASE`: the lists of every API ignore letter case.
    pub ignore_case: bool,
    /// `ENABLE_STRICT_ROUTES`: a listen path is bound to whole segments.
    pub strict_routes: bool,
    /// The header that holds the client's address (`CLIENT_IP_HEADER`), in lower case.
    pub client_ip_header: Option<String>,
    /// Which entry of `X-Forwarded-For` is the client's (`HTTP_XFF_DEPTH`).
    pub xff_depth: XffDepth,
    /// How long an upstream may take that no rule speaks of, milliseconds; 0 for ever
    /// (`PROXY_DEFAULT_TIMEOUT`).
    pub default_timeout_ms: u64,
    /// The longest body that a link can ask for, bytes (`MAX_REQUEST_BODY_SIZE`).
    pub max_body_bytes: usize,
    /// What the operator says about errors (`ERROR_OVERRIDES`, `OVERRIDE_MESSAGES`,
    /// `HIDE_GENERATOR_HEADER`).
    pub errors: Rc<GatewayErrors>,
    /// Makes request ids.
    pub random_id: Option<fn() -> String>,
}

impl Settings {
    /// Reads the worker variables; what is missing or not of its kind keeps its default.
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

    /// A new request id; an empty one where there is no source of randomness.
    #[must_use]
    pub fn random_id(&self) -> String {
        self.random_id.map(|make| make()).unwrap_or_default()
    }
}

/// Which members of a definition made a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOrigin {
    /// The link's name.
    pub link: &'static str,
    /// JSON Pointers into the definition.
    pub pointers: Vec<String>,
    /// How many rules it has, or whatever else is to say about it.
    pub detail: String,
}

/// A row of a list of rules.
#[derive(Clone, Debug)]
pub struct Row<'d> {
    /// The row.
    pub value: &'d Value<'d>,
    /// Where it stands (JSON Pointer).
    pub pointer: String,
    /// Which of its list it is, those that are disabled counted; the first is 1.
    pub number: usize,
}

impl Row<'_> {
    /// Its method as it is written; empty for none.
    #[must_use]
    pub fn method(&self) -> &str {
        self.value.str("method").unwrap_or_default()
    }

    /// Its path; empty for none.
    #[must_use]
    pub fn path(&self) -> &str {
        self.value.str("path").unwrap_or_default()
    }
}

/// A definition on its way into a chain: what a link's `compile` reads.
pub struct Compiler<'d> {
    /// The definition.
    pub definition: &'d Value<'d>,
    /// The version whose chain it is, if the definition has any.
    pub version: Option<&'d Value<'d>>,
    /// How the gateway is set up.
    pub settings: &'d Settings,
    /// Where the version stands (JSON Pointer).
    version_pointer: String,
    paths: PathTable,
    link: &'static str,
    origins: Vec<LinkOrigin>,
}

impl<'d> Compiler<'d> {
    /// Compiles the chain of a version, which is named by its member of `version_data.versions`.
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

    /// A compiler that has asked no link yet.
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

    /// The chain of these links.
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

    /// True for a proxy of MCP.
    #[must_use]
    pub fn is_mcp(&self) -> bool {
        Speaks::read(self.definition) == Speaks::Mcp
    }

    /// Begins with a link.
    pub(super) fn begin(&mut self, link: &'static str) {
        self.link = link;
    }

    /// Notes a member that made the link at hand (JSON Pointer), and what is to say about it.
    pub fn origin(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        let (pointer, detail) = (pointer.into(), detail.into());
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

    /// A member of the version and where it stands; null counts as absent.
    #[must_use]
    pub fn of_version(&self, name: &str) -> Option<(&'d Value<'d>, String)> {
        let value = self.version?.get(name)?;
        let mut pointer = self.version_pointer.clone();
        push_token(&mut pointer, name);
        Some((value, pointer))
    }

    /// Whether a switch of the version is on.
    #[must_use]
    pub fn version_switch(&self, name: &str) -> bool {
        self.version
            .and_then(|version| version.bool(name))
            .unwrap_or_default()
    }

    /// True if the rules of `extended_paths` are in force (`use_extended_paths`).
    #[must_use]
    pub fn uses_extended_paths(&self) -> bool {
        self.version_switch("use_extended_paths")
    }

    /// The rows of a list of `extended_paths` that are in force: none that is disabled, and none at all
    /// where the simple lists are used.
    #[must_use]
    pub fn rows(&self, list: &str) -> Vec<Row<'d>> {
        if !self.uses_extended_paths() {
            return Vec::new();
        }
        let Some((extended, mut pointer)) = self.of_version("extended_paths") else {
            return Vec::new();
        };
        push_token(&mut pointer, list);
        let items = extended.get(list).map(Value::items).unwrap_or_default();
        let rows = items.iter().enumerate().map(|(index, value)| Row {
            value,
            pointer: format!("{pointer}/{index}"),
            number: index.saturating_add(1),
        });
        let is_on = |row: &Row<'_>| !row.value.bool("disabled").unwrap_or_default();
        rows.filter(is_on).collect()
    }

    /// Where a list of `extended_paths` stands (JSON Pointer).
    #[must_use]
    pub fn list_pointer(&self, list: &str) -> String {
        let mut pointer = self.version_pointer.clone();
        push_token(&mut pointer, "extended_paths");
        push_token(&mut pointer, list);
        pointer
    }

    /// True if the path of a rule can't be compiled: it matches nothing, so a link that protects has to
    /// close by itself.
    #[must_use]
    pub fn is_broken(&self, path: PatternId) -> bool {
        self.paths.is_broken(path)
    }

    /// The path of a rule of the link at hand; letter case counts.
    pub fn path(&mut self, path: &str) -> PatternId {
        self.paths.add(path, false)
    }

    /// The path of a row of a list, whose letter case may be ignored (reference 5.2).
    pub fn list_path(&mut self, row: &Row<'_>) -> PatternId {
        let ignores = self.settings.ignore_case
            || self.version_switch("ignore_endpoint_case")
            || row.value.bool("ignore_case").unwrap_or_default();
        self.paths.add(row.path(), ignores)
    }

    /// The same for a path of a simple list.
    pub fn simple_path(&mut self, path: &str) -> PatternId {
        let ignores = self.settings.ignore_case || self.version_switch("ignore_endpoint_case");
        self.paths.add(path, ignores)
    }
}

/// "1 rule", "2 rules".
#[must_use]
pub fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}
