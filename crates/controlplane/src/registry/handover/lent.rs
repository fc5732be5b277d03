//! What Ledgers lend: the texts of sessions, for as long as a command needs them.

use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;

/// The maximum length of all lent texts, in bytes, before the next ones are lent.
const LENT_BYTES: usize = 4 * 1024 * 1024;

/// The name of a Ledger, with the revision and the text of the session that it has lent; `None` if it has none.
type LentText = (String, Option<(u64, String)>);

/// Sessions that Ledgers have lent.
#[derive(Debug, Default)]
pub(in crate::registry) struct Lent {
    /// In the order of their names.
    texts: Vec<LentText>,
    bytes: usize,
}

impl Lent {
    /// Forgets everything if that is much. What is lent for one command has to stay until it is carried out.
    pub(in crate::registry) fn make_room(&mut self) {
        if self.bytes > LENT_BYTES {
            *self = Self::default();
        }
    }

    /// Notes what a Ledger has answered, an empty text if it has no session.
    ///
    /// # Errors
    /// If the answer can't be read.
    pub(in crate::registry) fn put(
        &mut self,
        ledger: &str,
        answer: &str,
    ) -> Result<(), StoreError> {
        let found = asking::found(answer)?;
        self.bytes = self.bytes.saturating_add(answer.len());
        let lent = found.map(|(session, text)| (session.revision, text.to_owned()));
        match self.find(ledger) {
            Ok(known) => known.1 = lent,
            Err(at) => self.texts.insert(at, (ledger.to_owned(), lent)),
        }
        Ok(())
    }

    /// Returns what a Ledger has lent, or where to note it.
    fn find(&mut self, ledger: &str) -> Result<&mut LentText, usize> {
        let at = self
            .texts
            .binary_search_by(|(name, _)| name.as_str().cmp(ledger))?;
        self.texts.get_mut(at).ok_or(at)
    }

    /// Returns the text of a revision; `None` if it has to be lent.
    ///
    /// # Errors
    /// If its Ledger has none, or a later one.
    pub(in crate::registry) fn text(
        &mut self,
        ledger: &str,
        revision: u64,
    ) -> Result<Option<String>, StoreError> {
        match self.find(ledger) {
            // Written since.
            Ok((_, Some((known, _)))) if *known < revision => Ok(None),
            Ok((_, Some((known, text)))) if *known == revision => Ok(Some(text.clone())),
            Err(_) => Ok(None),
            Ok((_, lent)) => {
                // The next command asks it again.
                *lent = Some((0, String::new()));
                // Without the name, which has the hash of the key.
                let detail = format!("a Ledger does not have revision {revision} of its session");
                Err(StoreError::new("read session", detail))
            }
        }
    }
}
