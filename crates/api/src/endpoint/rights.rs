//! The access that a credential needs for each operation of the administration API.

use super::Operation;
use crate::dashboard::{Access, Part};
use Access::{Read, Write};
use Operation::*;

/// What the caller of an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The gateway secret: for granting access, and for export and import.
    Secret,
    /// Any access: the response depends only on the request, or says nothing about this gateway.
    Any,
    /// This access to a part, or higher.
    To(Part, Access),
}

impl Operation {
    /// Returns the access needed with a credential. The gateway secret allows everything.
    #[must_use]
    pub const fn right(self) -> Right {
        match self {
            ListApis | ReadApi | ListVersions | ListOasApis | ExportOasApis | ReadOasApi
            | ListOasVersions | ExportOasApi | ListMcpProxies | ReadMcpProxy | GetApiChain
            | ListRevisions | ReadRevision => Right::To(Part::Apis, Read),
            CreateApi | UpdateApi | DeleteApi | CreateOasApi | ImportOasApi | UpdateOasApi
            | PatchOasApi | DeleteOasApi | CreateMcpProxy | UpdateMcpProxy | DeleteMcpProxy
            | RestoreRevision | ForgetCache | ForgetAllKeys | ForgetKeys => {
                Right::To(Part::Apis, Write)
            }
            ListKeys | ReadKey | PreviewKey => Right::To(Part::Keys, Read),
            AddKey | CreateKey | SetKeyPolicies | UpdateKey | DeleteKey | RotateKey => {
                Right::To(Part::Keys, Write)
            }
            ListPolicies | ReadPolicy | ListPolicyRevisions | ReadPolicyRevision => {
                Right::To(Part::Policies, Read)
            }
            AddPolicy | UpdatePolicy | DeletePolicy | RestorePolicyRevision => {
                Right::To(Part::Policies, Write)
            }
            ListOrgs | ReadOrg => Right::To(Part::Organisations, Read),
            AddOrg | UpdateOrg | DeleteOrg => Right::To(Part::Organisations, Write),
            // Reading a client shows its secret.
            ListOauthTokens | ListOauthApis => Right::To(Part::Oauth, Read),
            CreateOauthClient | ListOauthClients | ReadOauthClient | UpdateOauthClient
            | RotateOauthClient | DeleteOauthClient | EndRefreshToken | RevokeToken
            | RevokeTokens | PurgeTokens => Right::To(Part::Oauth, Write),
            ListCertificates | ReadCertificates => Right::To(Part::Certificates, Read),
            AddCertificate | RemoveCertificate => Right::To(Part::Certificates, Write),
            ReloadStatus | Generations | PlanGeneration => Right::To(Part::Reload, Read),
            Reload => Right::To(Part::Reload, Write),
            ApiHealth | Figures | Failures | UpstreamHealth | Storage => {
                Right::To(Part::Figures, Read)
            }
            // They call upstreams, and other servers.
            RunBatch | Debug | FetchOpenApi => Right::To(Part::Tools, Write),
            Validate | ImportOpenApi | Diff | Merge | Hello | Ready | Schema | DocumentSchema
            | OpenApi | DashboardOpenApi => Right::Any,
            ListCredentials | IssueCredential | RevokeCredential | Export | Import
            | GiveUpImport => Right::Secret,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Auth, ENDPOINTS};

    /// Every route with the access it needs, as a person would look it up: a change to it is a change of this list.
    #[test]
    fn every_route_has_its_right() {
        let rows = ENDPOINTS.iter().filter(|row| row.auth == Auth::Secret);
        let lines: String = rows
            .map(|row| {
                let right = match row.operation.right() {
                    Right::Secret => "secret".to_owned(),
                    Right::Any => "any".to_owned(),
                    Right::To(part, access) => format!("{} {access:?}", part.word()).to_lowercase(),
                };
                format!("{} {}: {right}\n", row.method, row.path)
            })
            .collect();
        assert_eq!(lines, include_str!("rights.txt"), "{lines}");
    }

    #[test]
    fn reading_needs_no_right_to_write() {
        // Reading a client of the OAuth 2.0 server shows its secret, and a reload can also be a GET.
        let known = [ListOauthClients, ReadOauthClient, Reload];
        for row in ENDPOINTS.iter().filter(|row| row.method == "GET") {
            let writes = matches!(row.operation.right(), Right::To(_, Write));
            assert_eq!(writes, known.contains(&row.operation), "{}", row.path);
        }
        let writing = ENDPOINTS
            .iter()
            .filter(|row| matches!(row.method, "PUT" | "DELETE" | "PATCH"));
        for row in writing {
            assert!(
                matches!(row.operation.right(), Right::Secret | Right::To(_, Write)),
                "{} {}",
                row.method,
                row.path
            );
        }
    }
}
