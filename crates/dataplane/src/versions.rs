//! Which version of an API a request asks for (reference 3.2 and 5.2 no. 6): one of the API's own (`version_data`, the
//! older style) or another API (`definition`, the newer one).
//!
//! The promise: this is decided before the request enters a chain, from the request alone, and fails closed: a name
//! that is no served version is refused.

mod children;
mod location;

use crate::chain::Compiler;
use crate::exchange::Request;
use crate::failure::Failure;
use children::Children;
use gatewright_model::json::Value;
pub use location::Strip;
use location::{Found, Location};

/// The trace's name for the step that chooses the version.
pub const TRACE_NAME: &str = "version";

/// The versions of an API.
#[derive(Debug)]
pub struct Versions {
    /// The API's own versions, in the order of the definition.
    pub own: Vec<Version>,
    style: Style,
    not_versioned: bool,
}

/// How the version list in a key's rights is interpreted (reference 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRights {
    /// The list is ignored.
    Unchecked,
    /// An empty list allows the only version.
    Any,
    /// An empty list allows no version.
    Listed,
}

/// A version within an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its member of `version_data.versions`.
    pub key: String,
    /// The name that keys are granted rights to: its own `name`, or else that of the member.
    pub name: String,
    /// The target to use instead of `target_url`; `None` if there is no override or it is not used.
    pub override_target: Option<String>,
}

/// How versions are chosen.
#[derive(Debug)]
enum Style {
    /// All requests use the same version.
    Unversioned,
    /// One of the API's own versions is chosen.
    Own(Selector),
    /// The API itself or another API is chosen.
    Children {
        selector: Selector,
        /// The API's own name among the versions.
        name: String,
        /// Names and ids of the other APIs.
        ids: Vec<(String, String)>,
    },
}

/// Where a request names its version, and what happens if it names none or an unknown one.
#[derive(Debug)]
struct Selector {
    location: Location,
    default: String,
    falls_back: bool,
    strips: bool,
}

/// What serves a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Serves {
    /// A version of the API itself, by its index in [`Versions::own`]; `None` if the API has none.
    Own(Option<usize>),
    /// Another API with its own chain, by id.
    Child(String),
}

/// The version chosen for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What serves the request.
    pub serves: Serves,
    /// The version's name, for key rights; a child's name is the one its base uses.
    pub name: String,
    /// The number of bytes after the listen path, in the decoded path, that named the version, including leading
    /// slashes.
    pub segment: usize,
    /// What is stripped from the request.
    pub strips: Strip,
}

/// Whether a version has its own target (`override_target`).
#[must_use]
pub(crate) fn has_own_target(from: &Compiler<'_>) -> bool {
    let own = from.of_version("override_target");
    let own = own.and_then(|(value, _)| value.as_str());
    own.is_some_and(|own| !own.is_empty()) && !is_unversioned(from.definition)
}

/// Whether all requests to an API use one version: because it says so, because its versions are other APIs, or because
/// it says nothing and no request could name a version.
#[must_use]
pub fn is_unversioned(definition: &Value<'_>) -> bool {
    let chooser = definition.get("definition");
    let is_on = chooser.and_then(|chooser| chooser.bool("enabled"));
    let Some(data) = definition.get("version_data") else {
        return true;
    };
    let location = chooser.and_then(|chooser| chooser.str("location"));
    let default = data.str("default_version");
    let entries = data.get("versions").map(Value::members).unwrap_or_default();
    let says_so = data.bool("not_versioned");
    let nothing_to_choose = says_so.is_none()
        && entries.len() < 2
        && [location, default].into_iter().flatten().all(str::is_empty);
    is_on.unwrap_or_default()
        || says_so.unwrap_or_default()
        || entries.is_empty()
        || nothing_to_choose
}

impl Versions {
    /// Reads the versions of a definition.
    #[must_use]
    pub fn compile(definition: &Value<'_>) -> Self {
        let data = definition.get("version_data");
        let unversioned = is_unversioned(definition);
        let entries = data.and_then(|data| data.get("versions"));
        let entries = entries.map(Value::members).unwrap_or_default();
        let own = entries.iter().map(|member| {
            let text = |name| member.value.str(name).filter(|text| !text.is_empty());
            let target = text("override_target").filter(|_| !unversioned);
            Version {
                key: member.name.to_string(),
                name: text("name").unwrap_or(&member.name).to_owned(),
                override_target: target.map(str::to_owned),
            }
        });
        Self {
            own: own.collect(),
            style: Style::read(definition, unversioned),
            not_versioned: data.and_then(|data| data.bool("not_versioned")) == Some(true),
        }
    }

    /// How the version list in a key's rights is interpreted.
    #[must_use]
    pub const fn rights(&self) -> VersionRights {
        match self.style {
            Style::Own(_) => VersionRights::Listed,
            _ if self.not_versioned => VersionRights::Unchecked,
            _ => VersionRights::Any,
        }
    }

    /// Whether all requests use the first version, so that they needn't be inspected.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let first = matches!(self.unversioned(), Ok(None | Some(0)));
        matches!(self.style, Style::Unversioned) && first
    }

    /// Returns the index in [`Api::chains`](crate::snapshot::Api::chains) of the only chain that requests to this API
    /// can enter; `None` if the request chooses one, or if none of several versions is the default. Other APIs may
    /// serve some of the requests.
    #[must_use]
    pub fn only_chain(&self) -> Option<usize> {
        match self.style {
            Style::Own(_) => None,
            // An API without versions has one chain.
            _ => self.unversioned().ok().map(Option::unwrap_or_default),
        }
    }

    /// Chooses the version that serves a request. `listen` is the number of bytes of its decoded path that named the
    /// API, `loaded` says whether an API with a given id exists.
    ///
    /// # Errors
    /// Why no version serves the request.
    pub fn choose(
        &self,
        request: &Request,
        listen: usize,
        loaded: &dyn Fn(&str) -> bool,
    ) -> Result<Choice, Failure> {
        let (selector, mut found) = match &self.style {
            Style::Unversioned => return self.unversioned().map(|own| self.own_choice(own)),
            Style::Own(selector) | Style::Children { selector, .. } => {
                (selector, selector.location.find(request, listen))
            }
        };
        let asked = found.version.as_deref();
        let (choice, is_known) = match &self.style {
            Style::Children { name, ids, .. } => {
                let children = Children { name, ids, loaded };
                let choice = match children.choose(selector, asked)? {
                    Some((name, id)) => Choice {
                        serves: Serves::Child(id),
                        name,
                        segment: 0,
                        strips: Strip::Nothing,
                    },
                    None => self.own_choice(self.unversioned()?),
                };
                (choice, asked.and_then(|name| children.of(name)).is_some())
            }
            _ => {
                let choice = self.own_choice(Some(self.named(selector, asked)?));
                (choice, asked.and_then(|name| self.position(name)).is_some())
            }
        };
        // What the client asks for, rather than a version.
        if found.is_last && !is_known {
            found.segment = 0;
        }
        Ok(selector.complete(choice, &found))
    }

    /// The version that serves all requests of an unversioned API (reference 5.1).
    ///
    /// # Errors
    /// If there are several, and not exactly one of them is the default.
    pub fn unversioned(&self) -> Result<Option<usize>, Failure> {
        if self.own.len() < 2 {
            return Ok((!self.own.is_empty()).then_some(0));
        }
        let default = |version: &Version| matches!(&*version.key, "Default" | "default" | "");
        let mut default = (0..).zip(&self.own).filter(|(_, own)| default(own));
        match (default.next(), default.next()) {
            (Some((only, _)), None) => Ok(Some(only)),
            (Some(_), Some(_)) => Err(Failure::AmbiguousDefaultVersion),
            (None, _) => Err(Failure::NoDefaultVersion),
        }
    }

    /// The index of the version of the older style with this name.
    fn position(&self, name: &str) -> Option<usize> {
        self.own.iter().position(|own| own.key == name)
    }

    /// The version of the older style that a request asks for.
    fn named(&self, selector: &Selector, asked: Option<&str>) -> Result<usize, Failure> {
        let default = || {
            self.position(&selector.default)
                .ok_or(Failure::VersionUnknownHere)
        };
        match asked {
            None if selector.default.is_empty() => Err(Failure::VersionMissing),
            None => default(),
            Some(name) => match self.position(name) {
                Some(own) => Ok(own),
                None if selector.falls_back => default(),
                None => Err(Failure::VersionUnknownHere),
            },
        }
    }

    fn own_choice(&self, own: Option<usize>) -> Choice {
        let version = own.and_then(|own| self.own.get(own));
        let name = version.map_or("Default", |version| version.name.as_str());
        Choice {
            serves: Serves::Own(own),
            name: name.to_owned(),
            segment: 0,
            strips: Strip::Nothing,
        }
    }
}

impl Style {
    fn read(definition: &Value<'_>, unversioned: bool) -> Self {
        let chooser = definition.get("definition");
        let text = |name: &str| {
            let text = chooser.and_then(|chooser| chooser.str(name));
            text.unwrap_or_default().to_owned()
        };
        let is_on = |name: &str| {
            let switch = chooser.and_then(|chooser| chooser.bool(name));
            switch.unwrap_or_default()
        };
        let selector = |default: String| Selector {
            location: Location::read(
                &text("location"),
                text("key"),
                &text("url_versioning_pattern"),
            ),
            default,
            falls_back: is_on("fallback_to_default"),
            // The older name applies to paths only.
            strips: is_on("strip_versioning_data")
                || (text("location") == "url" && is_on("strip_path")),
        };
        if is_on("enabled") {
            let ids = chooser.and_then(|chooser| chooser.get("versions"));
            let ids = ids.map(Value::members).unwrap_or_default().iter();
            let ids = ids.map(|member| {
                let id = member.value.as_str().unwrap_or_default();
                (member.name.to_string(), id.to_owned())
            });
            return Self::Children {
                selector: selector(text("default")),
                name: text("name"),
                ids: ids.collect(),
            };
        }
        if unversioned {
            return Self::Unversioned;
        }
        let data = definition.get("version_data");
        let default = data.and_then(|data| data.str("default_version"));
        Self::Own(selector(default.unwrap_or_default().to_owned()))
    }
}

impl Selector {
    /// Adds to a choice what follows from the version's location in the request.
    fn complete(&self, choice: Choice, found: &Found) -> Choice {
        Choice {
            segment: found.segment,
            strips: if self.strips {
                self.location.strip(found.segment)
            } else {
                Strip::Nothing
            },
            ..choice
        }
    }
}

#[cfg(test)]
mod tests;
