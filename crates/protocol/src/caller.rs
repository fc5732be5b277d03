//! Who calls the dashboard API, what an endpoint requires of its caller, and what the audit trail records of a caller.

use crate::http::address;
use gatewright_api::dashboard::{Access, Group};
use serde::{Deserialize, Serialize};

/// A caller of the dashboard API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The holder of `DASHBOARD_TOKEN`, who may do everything in the default organisation.
    Root,
    /// The holder of the gateway secret, who may use the gateway's own documents.
    Gateway,
    /// The holder of the token with this SHA-256, in hexadecimal digits.
    Hash(String),
    /// The holder of the sign-in with this hash, while it lasts.
    SignIn(String),
}

/// What an endpoint requires of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// The group the caller needs access to; `None` means read access to any group.
    pub group: Option<Group>,
    /// The level of access.
    pub access: Access,
}

/// The actor in the audit trail for the gateway secret.
pub const GATEWAY_ACTOR: &str = "gateway";

/// The longest `User-Agent` that is recorded, in bytes.
const USER_AGENT_MAX: usize = 256;

/// Who sends an administrative request, for the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The actor, unless the write itself knows it.
    pub actor: String,
    /// The client.
    pub client: Client,
}

/// The gateway itself, or a holder of the gateway secret.
impl Default for Sender {
    fn default() -> Self {
        Self {
            actor: GATEWAY_ACTOR.to_owned(),
            client: Client::default(),
        }
    }
}

/// The client of an administrative request; nothing is known of one when the gateway acts by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Client {
    /// Its IP address.
    pub ip_address: Option<String>,
    /// Its `User-Agent`, without control characters and at most 256 bytes long.
    pub user_agent: Option<String>,
    /// The id of the request, as in its response.
    pub request_id: Option<String>,
}

impl Client {
    /// Creates it from what was sent. What is no address is left out, because only an operator's trusted header can
    /// contain such a text.
    #[must_use]
    pub fn new(ip_address: &str, user_agent: Option<&str>, request_id: &str) -> Self {
        let mut known = String::new();
        for c in user_agent.unwrap_or_default().trim().chars() {
            if known.len().saturating_add(c.len_utf8()) > USER_AGENT_MAX {
                break;
            }
            if !c.is_control() {
                known.push(c);
            }
        }
        let given = |text: String| (!text.is_empty()).then_some(text);
        Self {
            ip_address: address(ip_address).map(|address| address.to_string()),
            user_agent: given(known),
            request_id: given(request_id.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_is_recorded_as_one() {
        let ip_address = |text| Client::new(text, None, "").ip_address;
        for (sent, known) in [
            ("192.0.2.1", Some("192.0.2.1")),
            (" 192.0.2.1 ", Some("192.0.2.1")),
            ("::ffff:192.0.2.1", Some("192.0.2.1")),
            ("2001:DB8:0:0::1", Some("2001:db8::1")),
            ("192.0.2.1, 192.0.2.2", None),
            ("<script>", None),
            ("", None),
        ] {
            assert_eq!(ip_address(sent).as_deref(), known, "{sent}");
        }
    }

    #[test]
    fn a_user_agent_is_bounded_and_has_no_control_characters() {
        let user_agent = |text: &str| Client::new("", Some(text), "").user_agent;
        assert_eq!(
            user_agent("curl/8.5\u{1b}[2J\t\u{85}").as_deref(),
            Some("curl/8.5[2J")
        );
        assert_eq!(user_agent(" \u{7} "), None);
        assert_eq!(Client::new("", None, ""), Client::default());
        let long = format!("{}{}", "a".repeat(255), "é".repeat(9));
        assert_eq!(user_agent(&long), Some("a".repeat(255)));
        let exact = "é".repeat(128);
        assert_eq!(user_agent(&format!("{exact}b")), Some(exact));
    }
}
