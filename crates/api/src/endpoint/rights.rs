//! The access that a credential needs for each endpoint of the administration API.

use super::Endpoint;
use crate::dashboard::{Access, Part};
use crate::resource::Resource;

/// What the caller of an endpoint needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Nothing, not even a credential: the response contains nothing confidential.
    Public,
    /// Any access: the response depends only on the request, or says nothing about this gateway.
    Any,
    /// This access to a part, or higher.
    To(Part, Access),
    /// The gateway secret: for granting access, and for export and import.
    Secret,
}

impl Endpoint {
    /// Returns what a caller needs; the gateway secret allows everything. If the row doesn't say it, that is read
    /// access to the part of its resource for a GET, and write access for every other method. Only the secret allows
    /// what belongs to no part.
    #[must_use]
    pub fn right(&self) -> Right {
        let access = match self.method {
            "GET" => Access::Read,
            _ => Access::Write,
        };
        let part = || Resource::at(self.path)?.part;
        let right = self.right.or_else(|| Some(Right::To(part()?, access)));
        right.unwrap_or(Right::Secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{ENDPOINTS, Operation::*};

    /// Every route with the access it needs, as a person would look it up: a change to it is a change of this list.
    #[test]
    fn every_route_has_its_right() {
        let rows = ENDPOINTS.iter().filter(|row| row.right() != Right::Public);
        let lines: String = rows
            .map(|row| {
                let right = match row.right() {
                    Right::To(part, access) => format!("{} {access:?}", part.word()),
                    right => format!("{right:?}"),
                };
                format!("{} {}: {}\n", row.method, row.path, right.to_lowercase())
            })
            .collect();
        assert_eq!(lines, include_str!("rights.txt"), "{lines}");
    }

    #[test]
    fn reading_needs_no_right_to_write() {
        // Reading a client of the OAuth 2.0 server shows its secret, and a reload can also be a GET.
        let known = [ListOauthClients, ReadOauthClient, Reload];
        for row in ENDPOINTS.iter().filter(|row| row.method == "GET") {
            let writes = matches!(row.right(), Right::To(_, Access::Write));
            assert_eq!(writes, known.contains(&row.operation), "{}", row.path);
        }
        let writing = ENDPOINTS
            .iter()
            .filter(|row| matches!(row.method, "PUT" | "DELETE" | "PATCH"));
        for row in writing {
            assert!(
                matches!(row.right(), Right::Secret | Right::To(_, Access::Write)),
                "{} {}",
                row.method,
                row.path
            );
        }
    }
}
