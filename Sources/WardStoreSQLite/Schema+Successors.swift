extension Schema {
    /// Which passkey a passkey takes the place of.
    ///
    /// It is no reference: the other passkey may be deleted first.
    static let successors = "ALTER TABLE passkey ADD COLUMN succeeds BLOB"
}
