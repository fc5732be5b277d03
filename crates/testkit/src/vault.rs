//! A vault in memory. It hides nothing from a determined reader; it opens and refuses like a real one.

use gatewright_controlplane::ports::Vault;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::token::HashFunction;

/// A vault of one passphrase and salt.
#[derive(Clone, Debug)]
pub struct MemoryVault(String);

impl MemoryVault {
    /// Creates the vault for these.
    #[must_use]
    pub fn new(passphrase: &str, salt: &str) -> Self {
        Self(HashFunction::Sha256.hash(&format!("{passphrase} {salt}")))
    }

    /// Returns the proof that a text was sealed here under this name.
    fn mark(&self, name: &str, hidden: &str) -> String {
        let whole = [self.0.as_str(), name, hidden].join(" ");
        HashFunction::Sha256.hash(&whole)
    }
}

impl Vault for MemoryVault {
    async fn seal(&self, name: &str, text: &str) -> Result<String, StoreError> {
        let hidden: String = text.bytes().map(|byte| format!("{:02x}", !byte)).collect();
        Ok(self.mark(name, &hidden) + &hidden)
    }

    async fn open(&self, name: &str, sealed: &str) -> Option<String> {
        let (mark, hidden) = sealed.split_at_checked(64)?;
        if self.mark(name, hidden) != mark {
            return None;
        }
        let bytes = (0..hidden.len()).step_by(2).map(|at| {
            let digits = hidden.get(at..at.checked_add(2)?)?;
            u8::from_str_radix(digits, 16).ok().map(|byte| !byte)
        });
        String::from_utf8(bytes.collect::<Option<_>>()?).ok()
    }
}
