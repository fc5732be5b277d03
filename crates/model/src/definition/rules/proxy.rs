//! Rules about `proxy`: where requests are received and where they are forwarded.

use super::super::{reserved, route, target};
use super::Rules;
use crate::findings::shown;
use crate::issue::{IssueCode, Severity};
use crate::json::{Kind, Value};

impl Rules<'_, '_> {
    pub(super) fn listen_path(&mut self) {
        const POINTER: &str = "/proxy/listen_path";
        let Some(proxy) = self
            .definition
            .get("proxy")
            .filter(|proxy| matches!(proxy.kind, Kind::Object(_)))
        else {
            return;
        };
        match proxy.get("listen_path").map(Value::as_str) {
            // TCP connections have no paths.
            None | Some(Some("")) if matches!(self.text("/protocol"), Some("tcp" | "tls")) => {}
            None => self.error(
                IssueCode::Required,
                POINTER,
                "\"listen_path\" is required; write the path under which the API is served",
            ),
            Some(Some("")) => {
                self.error(
                    IssueCode::Required,
                    POINTER,
                    "the listen path is empty; write '/' to serve everything",
                );
            }
            Some(None) => {}
            Some(Some(path)) => self.present_listen_path(POINTER, path),
        }
    }

    fn present_listen_path(&mut self, pointer: &str, path: &str) {
        if let Err(problem) = route::ListenPath::parse(path) {
            return self.error(IssueCode::Format, pointer, problem);
        }
        if !path.starts_with('/') {
            self.warning(IssueCode::Format, pointer, route::NO_SLASH);
        }
        let served = route::clean(path);
        if served != path {
            let message = format!("the API is served under {}", shown(&served));
            self.issue(Severity::Info, IssueCode::Format, pointer, message.into());
        }
        // An internal API has no public route, so it can't collide.
        if let Some(own_path) = reserved(path).filter(|_| !self.on("internal")) {
            let message =
                format!("{own_path} belongs to the gateway itself; choose another listen path");
            self.error(IssueCode::Conflict, pointer, message);
        }
    }

    pub(super) fn target_url(&mut self) {
        const POINTER: &str = "/proxy/target_url";
        let Some(proxy) = self
            .definition
            .get("proxy")
            .filter(|proxy| matches!(proxy.kind, Kind::Object(_)))
        else {
            return;
        };
        let listed = proxy.bool("enable_load_balancing") == Some(true);
        let discovered = self
            .definition
            .pointer("/proxy/service_discovery/use_discovery_service");
        // An empty list of targets is reported by its own rule.
        let elsewhere = listed || discovered.and_then(Value::as_bool) == Some(true);
        match proxy.get("target_url").map(Value::as_str) {
            None | Some(Some("")) if elsewhere => {}
            None => self.error(
                IssueCode::Required,
                POINTER,
                "\"target_url\" is required; write the URL of the upstream",
            ),
            Some(Some("")) => {
                self.error(
                    IssueCode::Required,
                    POINTER,
                    "the target URL is empty; write the URL of the upstream",
                );
            }
            Some(None) => {}
            Some(Some(url)) => self.url(POINTER, url),
        }
        for (index, item) in proxy
            .get("target_list")
            .map(Value::items)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            if let Some(url) = item.as_str().filter(|_| listed) {
                self.url(&format!("/proxy/target_list/{index}"), url);
            }
        }
    }

    fn url(&mut self, pointer: &str, url: &str) {
        match target::check(url) {
            Err(problem) => self.error(IssueCode::Format, pointer, problem),
            Ok(target::Target::Unsupported(reason)) => {
                self.warning(
                    IssueCode::Unsupported,
                    pointer,
                    format!("requests can't be forwarded there: {reason}"),
                );
            }
            Ok(target::Target::Usable { credentials: true }) => {
                let message = "the URL holds a user name or password, which everybody who may read the definition sees; remove it";
                self.warning(IssueCode::Format, pointer, message);
            }
            Ok(target::Target::Usable { credentials: false } | target::Target::Loop(_)) => {}
        }
    }

    pub(super) fn protocol(&mut self) {
        if self.text("/protocol") == Some("h2c") {
            let message = "HTTP/2 without TLS isn't offered; the API is served over the protocols of the gateway";
            self.warning(IssueCode::Unsupported, "/protocol", message);
        }
    }

    /// Reference section 6.1; with an empty list, no target has a weight above 0.
    pub(super) fn load_balancing(&mut self) {
        let Some(proxy) = self.definition.get("proxy") else {
            return;
        };
        let empty = proxy
            .get("target_list")
            .is_none_or(|list| list.items().is_empty());
        // Then a service registry provides the targets.
        let discovered = self.at("/proxy/service_discovery/use_discovery_service");
        if proxy.bool("enable_load_balancing") == Some(true) && empty && !discovered {
            let message = "all load balancing targets have weight 0, at least one target must have weight > 0";
            self.error(IssueCode::Conflict, "/proxy/enable_load_balancing", message);
        }
    }
}
