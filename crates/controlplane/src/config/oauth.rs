//! How the OAuth 2.0 server for APIs issues codes and tokens.

/// Lifetime of an authorization code in seconds: long enough for a redirect, and below the maximum of RFC 6749 section
/// 4.1.2.
pub const CODE_SECONDS: i64 = 250;

/// The OAuth settings an operator may set. Names and defaults are those of this API family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthConfig {
    /// Lifetime of an access token in seconds (`OAUTH_TOKEN_EXPIRE`).
    pub token_seconds: i64,
    /// Lifetime of a refresh token in seconds, 0 for no limit (`OAUTH_REFRESH_TOKEN_EXPIRE`).
    pub refresh_seconds: i64,
    /// The separator of several addresses in a client's `redirect_uri` (`OAUTH_REDIRECT_URI_SEPARATOR`); empty if it
    /// holds one address.
    pub separator: String,
    /// The status of errors from the data plane's endpoints (`OAUTH_ERROR_STATUS_CODE`).
    pub error_status: u16,
}

impl Default for OauthConfig {
    fn default() -> Self {
        Self::read(|_| None)
    }
}

impl OauthConfig {
    /// Reads the worker variables; a value that is not a number in range keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<i64>().ok());
        // At most a century of seconds, so that no sum of times overflows.
        let seconds = |name: &str, least: i64, default| {
            let seconds = number(name).filter(|seconds| (least..=3_155_760_000).contains(seconds));
            seconds.unwrap_or(default)
        };
        let status =
            number("OAUTH_ERROR_STATUS_CODE").and_then(|status| u16::try_from(status).ok());
        Self {
            token_seconds: seconds("OAUTH_TOKEN_EXPIRE", 1, 3600),
            refresh_seconds: seconds("OAUTH_REFRESH_TOKEN_EXPIRE", 0, 1_209_600),
            separator: variable("OAUTH_REDIRECT_URI_SEPARATOR").unwrap_or_default(),
            error_status: status
                .filter(|status| (400..=499).contains(status))
                .unwrap_or(403),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_numbers_keep_their_default() {
        for (text, token, refresh, status) in [
            ("0", 3600, 0, 403),
            ("400", 400, 400, 400),
            ("-1", 3600, 1_209_600, 403),
            ("soon", 3600, 1_209_600, 403),
            ("99999999999", 3600, 1_209_600, 403),
        ] {
            let config = OauthConfig::read(|_| Some(text.to_owned()));
            assert_eq!(config.token_seconds, token, "{text}");
            assert_eq!(config.refresh_seconds, refresh, "{text}");
            assert_eq!(config.error_status, status, "{text}");
        }
        assert_eq!(OauthConfig::default().separator, "");
    }
}
