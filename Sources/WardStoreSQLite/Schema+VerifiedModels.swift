extension Schema {
    /// Which model an attestation statement proved, in which format, and when.
    ///
    /// No statement was asked for before, so older passkeys have none.
    static let verifiedModels = """
        ALTER TABLE passkey ADD COLUMN verified_aaguid BLOB;
        ALTER TABLE passkey ADD COLUMN verified_format TEXT
            CHECK ((verified_format IS NULL) = (verified_aaguid IS NULL));
        ALTER TABLE passkey ADD COLUMN verified_at INTEGER
            CHECK ((verified_at IS NULL) = (verified_aaguid IS NULL));
        """
}
