//! Shell commands. They never contain a key, but read `$GATEWAY_SECRET` or `$DASHBOARD_TOKEN`.

/// The environment variable from which a copied command reads the secret.
pub const SECRET_VARIABLE: &str = "GATEWAY_SECRET";
/// The environment variable from which a copied command reads the dashboard token.
pub const TOKEN_VARIABLE: &str = "DASHBOARD_TOKEN";

/// A request in the form of a curl command.
#[derive(Clone, Debug, Default)]
pub struct Curl {
    method: String,
    url: String,
    headers: Vec<String>,
    body: Option<String>,
}

impl Curl {
    /// Starts a request; the URL is quoted literally.
    #[must_use]
    pub fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.to_owned(),
            url: quote(url),
            ..Self::default()
        }
    }

    /// Starts a request to a path below a base URL that a shell variable may override, as in
    /// `"${GATEWAY_URL:-http://127.0.0.1:8787}"/path`.
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

    /// Adds the administration secret, as a variable.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.headers
            .push(format!("\"X-Gateway-Authorization: ${SECRET_VARIABLE}\""));
        self
    }

    /// Adds the dashboard token, as a variable.
    #[must_use]
    pub fn token(mut self) -> Self {
        self.headers
            .push(format!("\"Authorization: Bearer ${TOKEN_VARIABLE}\""));
        self
    }

    /// Adds a header whose value ends with a shell variable; `start` is the text before it.
    #[must_use]
    pub fn variable_header(mut self, start: &str, variable: &str) -> Self {
        self.headers
            .push(format!("{}\"${variable}\"", quote(start)));
        self
    }

    /// Appends a shell variable to the URL.
    #[must_use]
    pub fn variable_behind(mut self, variable: &str) -> Self {
        self.url.push_str(&format!("\"${variable}\""));
        self
    }

    /// Adds a body as is; its media type is set by a header.
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

    /// Adds a body with a media type.
    #[must_use]
    pub fn body(self, media: &str, body: &str) -> Self {
        let mut with_type = self.header("Content-Type", media);
        with_type.body = Some(quote(body));
        with_type
    }

    /// Returns the command, one option per line.
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

/// Quotes a text for a POSIX shell: between single quotes, everything but the single quote is literal.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
