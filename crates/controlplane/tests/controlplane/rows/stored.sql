-- Tables as earlier versions created them, with a row or two in each.

CREATE TABLE IF NOT EXISTS entry (
    id TEXT PRIMARY KEY, revision INTEGER NOT NULL, deleted INTEGER NOT NULL,
    published INTEGER, updated_at TEXT NOT NULL, facts TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revision (
    id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL, at TEXT NOT NULL,
    text TEXT, PRIMARY KEY (id, revision)
);
CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, revision INTEGER NOT NULL,
    deleted INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    facts TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record_revision (
    kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL,
    at TEXT NOT NULL, text TEXT, patch TEXT, PRIMARY KEY (kind, id, revision)
);
CREATE TABLE IF NOT EXISTS credential (
    hash TEXT PRIMARY KEY, credential TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notice (
    org TEXT NOT NULL, seq INTEGER NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (org, seq)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, org TEXT NOT NULL, actor TEXT NOT NULL,
    action TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    before INTEGER, after INTEGER
);
CREATE TABLE IF NOT EXISTS published (
    generation INTEGER NOT NULL, part TEXT NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (generation, part, place)
);
CREATE TABLE IF NOT EXISTS delivery (
    number INTEGER PRIMARY KEY, hook TEXT NOT NULL, notice_id TEXT NOT NULL, due TEXT,
    delivery TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS delivery_notice ON delivery (hook, notice_id);
CREATE INDEX IF NOT EXISTS delivery_log ON delivery (hook, number);
CREATE INDEX IF NOT EXISTS delivery_due ON delivery (hook, due, number) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS delivery_of ON delivery (notice_id);
CREATE TABLE IF NOT EXISTS quiet (
    name TEXT PRIMARY KEY, until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS quiet_until ON quiet (until);
CREATE TABLE IF NOT EXISTS hook_secret (
    hook TEXT PRIMARY KEY, secrets TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session (
    owner TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, sought TEXT NOT NULL,
    expires INTEGER NOT NULL, inactive INTEGER NOT NULL, revision INTEGER NOT NULL,
    reset INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    facts TEXT NOT NULL, PRIMARY KEY (owner, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_updated ON session (owner, updated_at, id);
CREATE INDEX IF NOT EXISTS session_created ON session (owner, created_at, id);
CREATE INDEX IF NOT EXISTS session_sought ON session (owner, sought, id);
CREATE INDEX IF NOT EXISTS session_org ON session (owner, org, id);
CREATE INDEX IF NOT EXISTS session_ends ON session (owner, facts ->> 'ends')
    WHERE facts ->> 'ends' > 0;
CREATE TABLE IF NOT EXISTS session_text (
    owner TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (owner, id)
);
CREATE TABLE IF NOT EXISTS session_mark (
    owner TEXT NOT NULL, mark TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (owner, mark, value, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_marked ON session_mark (owner, id);

INSERT INTO entry VALUES ('orders', 2, 0, 1, '2026-01-01T00:00:02.000Z', '{"name":"Orders","listen_path":"/orders/","active":true}');
INSERT INTO revision VALUES ('orders', 1, '"added"', '2026-01-01T00:00:01.000Z', '{"name":"Order"}');
INSERT INTO revision VALUES ('orders', 2, '"modified"', '2026-01-01T00:00:02.000Z', '{"name":"Orders"}');
INSERT INTO entry VALUES ('gone', 2, 1, NULL, '2026-01-01T00:00:04.000Z', '{"name":"Gone"}');
INSERT INTO revision VALUES ('gone', 1, '"added"', '2026-01-01T00:00:03.000Z', '{"name":"Gone"}');
INSERT INTO revision VALUES ('gone', 2, '"deleted"', '2026-01-01T00:00:04.000Z', NULL);
INSERT INTO value VALUES ('generation', '7');
INSERT INTO published VALUES (7, 'policies', 1, 'b 2
');
INSERT INTO published VALUES (7, 'policies', 0, 'a 1
');
INSERT INTO record VALUES ('"policy"', '0123456789abcdef01234567', 'default', 3, 0, '2026-01-01T00:00:05.000Z', '2026-01-01T00:00:07.000Z', '{"stable_id":"gold","name":"Gold","patched":12}');
INSERT INTO record_revision VALUES ('"policy"', '0123456789abcdef01234567', 1, '"added"', '2026-01-01T00:00:05.000Z', '{"name":"Gild"}', NULL);
INSERT INTO record_revision VALUES ('"policy"', '0123456789abcdef01234567', 2, '"modified"', '2026-01-01T00:00:06.000Z', '{"name":"Gilt"}', NULL);
INSERT INTO record_revision VALUES ('"policy"', '0123456789abcdef01234567', 3, '"modified"', '2026-01-01T00:00:07.000Z', NULL, '{"name":"Gold"}');
INSERT INTO notice VALUES ('default', 4, '{"seq":4,"id":"n4","type":"NoticeClientIdPChanged","at":"2026-01-01T00:00:08.000Z","data":{"id":"x"}}');
INSERT INTO audit VALUES (9, '2026-01-01T00:00:08.000Z', 'default', 'dashboard', '"modified"', '"client_idp"', 'x', 'Idp', 1, NULL);
INSERT INTO delivery VALUES (5, 'hook', 'n4', '2026-01-01T00:01:00.000Z', '{"number":5,"hook":"hook","org":"default","tries":1,"delivery":{"notice_id":"n4","seq":4,"type":"NoticeClientIdPChanged","state":"pending","attempts":[],"next_at":"2026-01-01T00:01:00.000Z"}}');
INSERT INTO quiet VALUES ('hook QuotaExceeded', 1767225600000);
INSERT INTO hook_secret VALUES ('hook', '{"current":"whsec_AAAA"}');
INSERT INTO credential VALUES ('c0ffee', '{}');
INSERT INTO session VALUES ('key', 'deadbeef', 'default', 'alice
gold', 1767225600, 0, 11, 10, '2026-01-01T00:00:09.000Z', '2026-01-01T00:00:10.000Z', '{"ends":1767830400000,"org_id":"default","alias":"Alice","expires":1767225600,"tags":["gold"],"apis":["orders"]}');
INSERT INTO session_text VALUES ('key', 'deadbeef', '{"alias":"Alice"}');
INSERT INTO session_mark VALUES ('key', 'tag', 'gold', 'deadbeef');
INSERT INTO session_mark VALUES ('key', 'api', 'orders', 'deadbeef');
