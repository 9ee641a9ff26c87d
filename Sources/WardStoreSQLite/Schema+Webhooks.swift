extension Schema {
    /// A webhook stays when its account is deleted, because it may tell that.
    ///
    /// `is_first` marks the first webhook of each account, because only that one can be delivered.
    static let webhooks = """
        CREATE TABLE webhook (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            account_id BLOB NOT NULL,
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            is_first INTEGER NOT NULL CHECK (is_first IN (0, 1))
        ) STRICT;
        CREATE INDEX webhook_account ON webhook (account_id, number);
        CREATE INDEX webhook_due ON webhook (due_at, number) WHERE is_first = 1;

        CREATE TABLE webhook_position (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            number INTEGER NOT NULL
        ) STRICT;
        """
}
