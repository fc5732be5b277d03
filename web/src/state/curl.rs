//! Commands for a shell. No key is ever in them: they read `$GATEWAY_SECRET` or `$DASHBOARD_TOKEN`.

/// The environment variable that a copied command takes the secret from.
pub const SECRET_VARIABLE: &str = "GATEWAY_SECRET";
/// The environment variable that a copied command takes the dashboard token from.
pub const TOKEN_VARIABLE: &str = "DASHBOARD_TOKEN";

/// One request as a person would type it.
#[derive(Clone, Debug, Default)]
pub struct Curl {
    method: String,
    url: String,
    headers: Vec<String>,
    body: Option<String>,
}

impl Curl {
    /// A request; the address is quoted literally.
    #[must_use]
    pub fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.to_owned(),
            url: quote(url),
            ..Self::default()
        }
    }

    /// A request to a path below a base that a shell variable may override,
    /// as in `"${GATEWAY_URL:-http://127.0.0.1:8787}"/path`.
    #[must_use]
    pub fn below_variable(method: &str, variable: &str, standard: &str, path: &str) -> Self {
        let url = format!("\"${{{variable}:-{standard}}}\"{}", quote(path));
        Self {
            method: method.to_owned(),
            url,
            ..Self::default()
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push(quote(&format!("{name}: {value}")));
        self
    }

    /// Adds the administration secret, as the variable and not as its value.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.headers
            .push(format!("\"X-Gateway-Authorization: ${SECRET_VARIABLE}\""));
        self
    }

    /// Adds the dashboard token, as the variable and not as its value.
    #[must_use]
    pub fn token(mut self) -> Self {
        self.headers
            .push(format!("\"Authorization: Bearer ${TOKEN_VARIABLE}\""));
        self
    }

    /// Adds a header whose value ends with what a shell variable holds; `start` is all that stands
    /// before it.
    #[must_use]
    pub fn variable_header(mut self, start: &str, variable: &str) -> Self {
        self.headers
            .push(format!("{}\"${variable}\"", quote(start)));
        self
    }

    /// Puts what a shell variable holds behind the address.
    #[must_use]
    pub fn variable_behind(mut self, variable: &str) -> Self {
        self.url.push_str(&format!("\"${variable}\""));
        self
    }

    /// Adds a body as it is; a header tells its media type.
    #[must_use]
    pub fn raw(mut self, body: &str) -> Self {
        self.body = Some(quote(body));
        self
    }

    /// Adds a JSON body.
    #[must_use]
    pub fn json(self, body: &str) -> Self {
        self.body("application/json", body)
    }

    /// Adds a body of a media type.
    #[must_use]
    pub fn body(self, media: &str, body: &str) -> Self {
        let mut with_type = self.header("Content-Type", media);
        with_type.body = Some(quote(body));
        with_type
    }

    /// The command, one option a line.
    #[must_use]
    pub fn command(&self) -> String {
        let mut parts = vec![format!(
            "curl --fail-with-body --request {} {}",
            self.method, self.url
        )];
        parts.extend(
            self.headers
                .iter()
                .map(|header| format!("--header {header}")),
        );
        parts.extend(self.body.iter().map(|body| format!("--data-binary {body}")));
        parts.join(" \\\n  ")
    }
}

/// Quotes for a POSIX shell: everything is literal between single quotes but the single quote.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
