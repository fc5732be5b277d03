//! The form of a new key.

use gatewright_model::json::quote;

/// A numeric field of the limits, which may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Requests per period.
    Rate,
    /// The period in seconds.
    Per,
    /// Requests per quota window.
    Quota,
    /// The length of the quota window in seconds.
    Renewal,
}

impl Number {
    /// All of them, in the order of the form.
    pub const ALL: [Self; 4] = [Self::Rate, Self::Per, Self::Quota, Self::Renewal];

    /// Whether it is a duration.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Per | Self::Renewal)
    }

    /// Returns its member in a session.
    #[must_use]
    pub const fn member(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Per => "per",
            Self::Quota => "quota_max",
            Self::Renewal => "quota_renewal_rate",
        }
    }

    const fn index(self) -> usize {
        match self {
            Self::Rate => 0,
            Self::Per => 1,
            Self::Quota => 2,
            Self::Renewal => 3,
        }
    }
}

/// How the holder of a key authenticates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthMethod {
    /// With the token that the gateway makes.
    #[default]
    Token,
    /// With a user name and a password (basic authentication).
    Password,
    /// By signing requests with a secret that the gateway makes (HMAC).
    Signature,
}

impl AuthMethod {
    /// All of them with their labels.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Token, "A token"),
        (Self::Password, "A name and a password"),
        (Self::Signature, "Signatures (HMAC)"),
    ];
}

/// bcrypt ignores any further bytes of a password.
const PASSWORD_MAX: usize = 72;

/// A key to be made, as entered in the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewKey {
    /// How its holder authenticates.
    pub auth_method: AuthMethod,
    /// The user name, if there is a password.
    pub user: String,
    /// The password.
    pub password: String,
    /// Its display name.
    pub alias: String,
    /// Its organisation; if empty, the gateway's own.
    pub org_id: String,
    /// Its tags, separated by commas.
    pub tags: String,
    /// When it expires, Unix seconds; `None` for never.
    pub expires: Option<i64>,
    /// Its policies, in the order in which they were chosen.
    pub policies: Vec<String>,
    /// The APIs in its own access rights: ids and names.
    pub apis: Vec<(String, String)>,
    numbers: [String; 4],
}

impl NewKey {
    /// Returns the text of a numeric field.
    #[must_use]
    pub fn number(&self, number: Number) -> &str {
        self.numbers.get(number.index()).map_or("", String::as_str)
    }

    /// Sets the text of a numeric field.
    pub fn set_number(&mut self, number: Number, text: &str) {
        if let Some(typed) = self.numbers.get_mut(number.index()) {
            text.trim().clone_into(typed);
        }
    }

    /// Returns what is wrong with a number: it has to be positive, and required if its counterpart is given.
    #[must_use]
    pub fn problem(&self, number: Number) -> Option<&'static str> {
        let text = self.number(number);
        let other = match number {
            Number::Rate => Number::Per,
            Number::Per => Number::Rate,
            Number::Quota => Number::Renewal,
            Number::Renewal => Number::Quota,
        };
        if text.is_empty() {
            let needed = !self.number(other).is_empty() && number != Number::Renewal;
            return needed.then_some("This is required, too.");
        }
        let whole = text.parse::<u32>().is_ok_and(|number| number > 0);
        (!whole).then_some("A whole number above 0.")
    }

    /// Returns what is wrong with the user name, as far as that can be seen here: it can't contain a colon (RFC 7617
    /// section 2).
    #[must_use]
    pub fn user_problem(&self) -> Option<&'static str> {
        let is_odd = |letter: char| letter == ':' || letter.is_control();
        self.user
            .contains(is_odd)
            .then_some("No colon: it separates name and password.")
    }

    /// Returns what is wrong with the password.
    #[must_use]
    pub fn password_problem(&self) -> Option<&'static str> {
        (self.password.len() > PASSWORD_MAX).then_some("At most 72 bytes: bcrypt ignores the rest.")
    }

    /// Whether it gives access to anything and all numbers are valid; the edge makes no other keys.
    #[must_use]
    pub fn complete(&self) -> bool {
        let opens = !self.policies.is_empty() || !self.apis.is_empty();
        let named = self.auth_method != AuthMethod::Password
            || (!self.user.trim().is_empty()
                && !self.password.is_empty()
                && self.user_problem().is_none()
                && self.password_problem().is_none());
        opens
            && named
            && Number::ALL
                .iter()
                .all(|number| self.problem(*number).is_none())
    }

    /// Returns the session to preview; empty as long as it gives access to nothing.
    #[must_use]
    pub fn preview(&self) -> String {
        if self.policies.is_empty() && self.apis.is_empty() {
            String::new()
        } else {
            self.written(false)
        }
    }

    /// Returns the session to send, with only what was filled in.
    #[must_use]
    pub fn session(&self) -> String {
        self.written(true)
    }

    /// Writes the session with or without the credential, which has no effect on its rights.
    fn written(&self, with_proof: bool) -> String {
        let mut members = Vec::new();
        let mut add = |name: &str, json: String| {
            members.push(format!("  {}: {json}", quote(name)));
        };
        for (name, text) in [("alias", &self.alias), ("org_id", &self.org_id)] {
            let text = text.trim();
            if !text.is_empty() {
                add(name, quote(text));
            }
        }
        let tags = self.tags.split(',').map(str::trim);
        let tags: Vec<&str> = tags.filter(|tag| !tag.is_empty()).collect();
        if !tags.is_empty() {
            add("tags", list(&tags));
        }
        if let Some(expires) = self.expires {
            add("expires", expires.to_string());
        }
        if !self.policies.is_empty() {
            add("apply_policies", list(&self.policies));
        }
        for number in Number::ALL {
            let text = self.number(number);
            if !text.is_empty() && self.problem(number).is_none() {
                add(number.member(), text.to_owned());
            }
        }
        if !self.apis.is_empty() {
            add("access_rights", rights(&self.apis));
        }
        match self.auth_method {
            AuthMethod::Password if with_proof => {
                let data = format!("{{ \"password\": {} }}", quote(&self.password));
                add("basic_auth_data", data);
            }
            AuthMethod::Signature if with_proof => add("hmac_enabled", "true".to_owned()),
            _ => {}
        }
        format!("{{\n{}\n}}\n", members.join(",\n"))
    }
}

fn list(texts: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quote(text.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

fn rights(apis: &[(String, String)]) -> String {
    let right = |(id, name): &(String, String)| {
        let id = quote(id);
        format!(
            "    {id}: {{ \"api_id\": {id}, \"api_name\": {} }}",
            quote(name)
        )
    };
    let rights: Vec<String> = apis.iter().map(right).collect();
    format!("{{\n{}\n  }}", rights.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn wanted(auth_method: AuthMethod) -> NewKey {
        NewKey {
            auth_method,
            policies: vec!["p".to_owned()],
            ..NewKey::default()
        }
    }

    #[test]
    fn user_needs_valid_name_and_password() {
        let mut user = wanted(AuthMethod::Password);
        assert!(!user.complete());
        "ann".clone_into(&mut user.user);
        assert!(!user.complete());
        "s3cret\"".clone_into(&mut user.password);
        assert!(user.complete());
        assert_eq!(
            user.session(),
            "{\n  \"apply_policies\": [\"p\"],\n  \"basic_auth_data\": { \"password\": \"s3cret\\\"\" }\n}\n"
        );
        assert!(!user.preview().contains("s3cret"), "it gives nothing");
        user.password = "x".repeat(73);
        assert!(user.password_problem().is_some() && !user.complete());
        "x".clone_into(&mut user.password);
        "a:b".clone_into(&mut user.user);
        assert!(user.user_problem().is_some() && !user.complete());
        // What was entered for another method of authentication is not sent.
        user.auth_method = AuthMethod::Token;
        assert!(user.complete() && !user.session().contains("basic"));
    }

    #[test]
    fn a_key_that_signs_gets_its_secret_from_the_gateway() {
        let key = wanted(AuthMethod::Signature);
        assert!(key.complete());
        assert!(key.session().contains("\"hmac_enabled\": true"));
        assert!(!key.session().contains("hmac_string"));
    }
}
