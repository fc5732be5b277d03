//! The tables of the OAuth 2.0 server: clients, codes and tokens.

use super::Rows;
use crate::registry::sql::{Value, json};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::{
    OauthClient, OauthCode, OauthToken, OauthTokens, TOKENS_PER_PAGE,
};

/// `ends` is when neither of a row's tokens can be used any more, in Unix seconds.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS oauth_client (
        api TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, client TEXT NOT NULL,
        PRIMARY KEY (api, id)
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS oauth_client_named ON oauth_client (id, org)",
    "CREATE TABLE IF NOT EXISTS oauth_code (
        code TEXT PRIMARY KEY, api TEXT NOT NULL, client TEXT NOT NULL, ends INTEGER NOT NULL,
        grounds TEXT NOT NULL
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS oauth_code_of ON oauth_code (client, api)",
    "CREATE INDEX IF NOT EXISTS oauth_code_ends ON oauth_code (ends)",
    "CREATE TABLE IF NOT EXISTS oauth_token (
        access TEXT PRIMARY KEY, refresh TEXT NOT NULL, api TEXT NOT NULL, client TEXT NOT NULL,
        expires INTEGER NOT NULL, ends INTEGER NOT NULL, token TEXT NOT NULL
    ) WITHOUT ROWID",
    "CREATE UNIQUE INDEX IF NOT EXISTS oauth_token_refresh ON oauth_token (refresh)
        WHERE refresh <> ''",
    "CREATE INDEX IF NOT EXISTS oauth_token_of ON oauth_token (client, api, expires)",
    "CREATE INDEX IF NOT EXISTS oauth_token_ends ON oauth_token (ends)",
];

/// The value of `ends` for tokens that never end, in Unix seconds.
const NEVER: i64 = 8_640_000_000_000;

/// Returns when neither of these tokens can be used any more, in Unix seconds.
fn ends(token: &OauthToken) -> i64 {
    match (token.refresh.is_empty(), token.refresh_expires) {
        (true, _) => token.expires,
        (false, 0) => NEVER,
        (false, ends) => ends.max(token.expires),
    }
}

impl Rows {
    /// Returns the clients of an API, ordered by id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_clients(&self, api: &str) -> Result<Vec<OauthClient>, StoreError> {
        let statement = "SELECT client FROM oauth_client WHERE api = ? ORDER BY id";
        self.all(statement, &[api.into()], |mut row| row.json())
    }

    /// Returns the clients with this id, ordered by API; of every organisation if none is named.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_clients_named(&self, id: &str, org: &str) -> Result<Vec<OauthClient>, StoreError> {
        let statement = "SELECT client FROM oauth_client
            WHERE id = ?1 AND (?2 = '' OR org = ?2) ORDER BY api";
        self.all(statement, &[id.into(), org.into()], |mut row| row.json())
    }

    /// Returns a client of an API.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_client(&self, api: &str, id: &str) -> Result<Option<OauthClient>, StoreError> {
        let statement = "SELECT client FROM oauth_client WHERE api = ? AND id = ?";
        self.first(statement, &[api.into(), id.into()], |mut row| row.json())
    }

    /// Returns clients after this API and id, ordered by API and id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_clients_after(
        &self,
        (api, id): (&str, &str),
        limit: u32,
    ) -> Result<Vec<OauthClient>, StoreError> {
        let statement = "SELECT client FROM oauth_client WHERE (api, id) > (?, ?)
            ORDER BY api, id LIMIT ?";
        let values = [api.into(), id.into(), limit.into()];
        self.all(statement, &values, |mut row| row.json())
    }

    /// Returns tokens after the one with this access token, ordered by access token.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_tokens_after(
        &self,
        access: &str,
        limit: u32,
    ) -> Result<Vec<OauthToken>, StoreError> {
        let statement = "SELECT token FROM oauth_token WHERE access > ? ORDER BY access LIMIT ?";
        self.all(statement, &[access.into(), limit.into()], |mut row| {
            row.json()
        })
    }

    /// Returns a code that has not ended at a time in Unix seconds.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_code(&self, code: &str, now: i64) -> Result<Option<OauthCode>, StoreError> {
        let statement = "SELECT grounds FROM oauth_code WHERE code = ? AND ends > ?";
        self.first(statement, &[code.into(), now.into()], |mut row| row.json())
    }

    /// Returns the token with one of these hashes of an access token, or this one of a refresh token.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_token(
        &self,
        access: &[String],
        refresh: &str,
    ) -> Result<Option<OauthToken>, StoreError> {
        let found = self.first(
            "SELECT token FROM oauth_token WHERE access IN (SELECT value FROM json_each(?))",
            &[json(access)?],
            |mut row| row.json(),
        )?;
        match found {
            None if !refresh.is_empty() => self.first(
                "SELECT token FROM oauth_token WHERE refresh = ? AND refresh <> ''",
                &[refresh.into()],
                |mut row| row.json(),
            ),
            found => Ok(found),
        }
    }

    /// Returns a page of a client's tokens at these APIs whose access token ends after a time in Unix seconds, ordered
    /// by that end.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oauth_tokens(
        &self,
        (client, apis): (&str, &[String]),
        page: u32,
        now: i64,
    ) -> Result<OauthTokens, StoreError> {
        let chosen = "FROM oauth_token WHERE client = ? AND expires > ?
            AND api IN (SELECT value FROM json_each(?))";
        let mut values = vec![client.into(), now.into(), json(apis)?];
        let total = self.count(&format!("SELECT count(*) {chosen}"), &values)?;
        let per_page = i64::from(TOKENS_PER_PAGE);
        let (limit, offset) = match page.checked_sub(1) {
            None => (-1, 0),
            Some(before) => (per_page, i64::from(before).saturating_mul(per_page)),
        };
        values.extend([Value::from(limit), Value::from(offset)]);
        let statement = format!("SELECT token {chosen} ORDER BY expires, access LIMIT ? OFFSET ?");
        Ok(OauthTokens {
            tokens: self.all(&statement, &values, |mut row| row.json())?,
            total: u32::try_from(total).unwrap_or(u32::MAX),
        })
    }

    /// Returns when the next code or token ends, in Unix seconds.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn first_oauth_end(&self) -> Result<Option<u64>, StoreError> {
        let statement = "SELECT min(ends) FROM (SELECT min(ends) AS ends FROM oauth_code
            UNION ALL SELECT min(ends) FROM oauth_token WHERE ends < ?)";
        let found = self.first(statement, &[NEVER.into()], |mut row| row.maybe_number())?;
        Ok(found.flatten())
    }

    /// Removes codes and tokens that have ended at a time in Unix seconds.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn lapse_oauth(&self, now: i64) -> Result<(), StoreError> {
        for table in ["oauth_code", "oauth_token"] {
            self.run(
                &format!("DELETE FROM {table} WHERE ends <= ?"),
                &[now.into()],
            )?;
        }
        Ok(())
    }

    pub(super) fn put_oauth_client(&self, client: &OauthClient) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO oauth_client (api, id, org, client) VALUES (?, ?, ?, ?)",
            &[
                client.api.as_str().into(),
                client.id.as_str().into(),
                client.org.as_str().into(),
                json(client)?,
            ],
        )
    }

    /// Removes a client. Its remaining tokens are passed on to the other API that knows it, if there is one; none of
    /// them can be refreshed.
    pub(super) fn remove_oauth_client(
        &self,
        (api, id): (&str, &str),
        other: Option<&str>,
    ) -> Result<(), StoreError> {
        let named = [api.into(), id.into()];
        self.run("DELETE FROM oauth_client WHERE api = ? AND id = ?", &named)?;
        self.end_oauth(api, id)?;
        match other {
            None => self.run(
                "DELETE FROM oauth_token WHERE api = ? AND client = ?",
                &named,
            ),
            Some(other) => self.run(
                "UPDATE oauth_token SET api = ?1, token = json_set(token, '$.api', ?1)
                 WHERE api = ?2 AND client = ?3",
                &[other.into(), api.into(), id.into()],
            ),
        }
    }

    pub(super) fn put_oauth_code(&self, code: &OauthCode) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO oauth_code (code, api, client, ends, grounds) VALUES (?, ?, ?, ?, ?)",
            &[
                code.code.as_str().into(),
                code.api.as_str().into(),
                code.client.as_str().into(),
                code.expires.into(),
                json(code)?,
            ],
        )
    }

    /// Records what a code was exchanged for, for as long as the code would have lasted.
    pub(super) fn use_oauth_code(&self, code: &str, access: &str) -> Result<(), StoreError> {
        self.run(
            "UPDATE oauth_code SET grounds = json_set(grounds, '$.used', ?) WHERE code = ?",
            &[access.into(), code.into()],
        )
    }

    pub(super) fn put_oauth_token(&self, token: &OauthToken) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO oauth_token (access, refresh, api, client, expires, ends, token)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            &[
                token.access.as_str().into(),
                token.refresh.as_str().into(),
                token.api.as_str().into(),
                token.client.as_str().into(),
                token.expires.into(),
                ends(token).into(),
                json(token)?,
            ],
        )
    }

    /// Ends one access token.
    pub(super) fn end_oauth_access(&self, access: &str) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM oauth_token WHERE access = ? AND refresh = ''",
            &[access.into()],
        )?;
        self.run(
            "UPDATE oauth_token SET expires = 0, token = json_set(token, '$.expires', 0)
             WHERE access = ?",
            &[access.into()],
        )
    }

    /// Removes a token that another one replaces, and updates its code accordingly.
    pub(super) fn replace_oauth_token(
        &self,
        access: &str,
        by: &OauthToken,
    ) -> Result<(), StoreError> {
        self.run("DELETE FROM oauth_token WHERE access = ?", &[access.into()])?;
        self.run(
            "UPDATE oauth_code SET grounds = json_set(grounds, '$.used', ?)
             WHERE client = ? AND api = ? AND json_extract(grounds, '$.used') = ?",
            &[
                by.access.as_str().into(),
                by.client.as_str().into(),
                by.api.as_str().into(),
                access.into(),
            ],
        )
    }

    /// Ends one refresh token.
    pub(super) fn end_oauth_refresh(&self, refresh: &str) -> Result<(), StoreError> {
        self.run(
            "UPDATE oauth_token SET refresh = '', ends = expires,
                token = json_set(token, '$.refresh', '', '$.refresh_expires', 0)
             WHERE refresh = ? AND refresh <> ''",
            &[refresh.into()],
        )
    }

    /// Ends the refresh tokens and codes of a client at an API.
    pub(super) fn end_oauth(&self, api: &str, client: &str) -> Result<(), StoreError> {
        let named = [api.into(), client.into()];
        self.run(
            "UPDATE oauth_token SET refresh = '', ends = expires,
                token = json_set(token, '$.refresh', '', '$.refresh_expires', 0)
             WHERE api = ? AND client = ? AND refresh <> ''",
            &named,
        )?;
        self.run(
            "DELETE FROM oauth_code WHERE api = ? AND client = ?",
            &named,
        )
    }
}
