//! Which release has made the tables of a database. A Durable Object's SQLite has no `PRAGMA user_version`
//! (<https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#pragma-statements>), so that
//! stands in a table: each version that was ever reached, and none in tables of releases before there was one.

/// Makes the table.
pub const MAKE: &str = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)";
/// Finds the version, 0 for none.
pub const FOUND: &str = "SELECT coalesce(max(version), 0) FROM schema_version";
/// Says that a version is reached: its number.
pub const REACHED: &str = "INSERT INTO schema_version (version) VALUES (?)";

/// Why a database of a later release is left alone.
#[must_use]
pub fn refusal(found: u64, known: u64) -> String {
    format!(
        "its tables are of version {found}, made by a later release; this one knows version {known}: deploy that release or a later one"
    )
}
