internal import WardText
internal import WardVault
internal import WardWebAuthn

/// The passkey of an entry, as KeePassXC keeps it in fields, and Strongbox with other names.
enum KDBXPasskey {
    /// The two beginnings of the names: the present one, and that of the first versions.
    private static let prefixes = ["KPEX_PASSKEY_", "KPXC_PASSKEY_"]
    private static let names = [
        "USERNAME", "CREDENTIAL_ID", "GENERATED_USER_ID", "PRIVATE_KEY_PEM", "RELYING_PARTY", "USER_HANDLE", "FLAG_BE",
        "FLAG_BS",
    ]

    /// Whether a field belongs to a passkey.
    static func isKey(_ key: String) -> Bool { prefixes.contains { key.hasPrefix($0) } }

    /// Whether a field is one that ``passkey(_:createdAt:flagsIfMissing:)`` reads.
    static func isRead(_ key: String) -> Bool { prefixes.contains { prefix in names.contains { prefix + $0 == key } } }

    /// The passkey in some fields, or `nil` if it is incomplete or its key cannot sign here.
    ///
    /// - Parameters:
    ///   - fields: The fields of the passkey.
    ///   - createdAt: The time of creation, in seconds since 1970.
    ///   - flagsIfMissing: The flags of backups for a passkey without fields for them. They are part of what a site knows.
    /// - Returns: The passkey.
    static func passkey(_ fields: [String: String], createdAt: Int64, flagsIfMissing: Bool) -> StoredPasskey? {
        func value(_ name: String) -> String? { prefixes.lazy.compactMap { fields[$0 + name] }.first }
        // The credential ID had a misleading name in the first versions.
        guard let id = (value("CREDENTIAL_ID") ?? value("GENERATED_USER_ID")).flatMap(Base64.decode(lenient:)),
            let handle = value("USER_HANDLE").flatMap(Base64.decode(lenient:)), let rpID = value("RELYING_PARTY"),
            let pem = value("PRIVATE_KEY_PEM"), let key = key(inPEM: pem)
        else { return nil }
        var passkey = ImportedPasskey(credentialID: id, rpID: rpID, userHandle: handle, privateKey: key)
        passkey.userName = value("USERNAME") ?? ""
        passkey.isBackupEligible = value("FLAG_BE").map { $0 == "1" } ?? flagsIfMissing
        passkey.isBackedUp = value("FLAG_BS").map { $0 == "1" } ?? flagsIfMissing
        return try? passkey.stored(now: createdAt).get()
    }

    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    private static func key(inPEM text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        let body = lines.filter { !$0.hasPrefix("-----") }.joined()
        return body.isEmpty ? nil : Base64.decode(lenient: body)
    }

    /// The fields of a passkey, for a file that KeePassXC and Strongbox open.
    static func fields(_ passkey: StoredPasskey) -> [(key: String, value: String)] {
        let digits = Array(Base64.encode(passkey.privateKey.revealed))
        let lines = stride(from: 0, to: digits.count, by: 64).map { String(digits[$0..<min($0 + 64, digits.count)]) }
        return [
            ("KPEX_PASSKEY_USERNAME", passkey.userName),
            ("KPEX_PASSKEY_CREDENTIAL_ID", passkey.credentialID.base64URL),
            ("KPEX_PASSKEY_PRIVATE_KEY_PEM", ([begin] + lines + [end]).joined(separator: "\n")),
            ("KPEX_PASSKEY_RELYING_PARTY", passkey.rpID),
            ("KPEX_PASSKEY_USER_HANDLE", passkey.userHandle.base64URL),
            ("KPEX_PASSKEY_FLAG_BE", passkey.isBackupEligible ? "1" : "0"),
            ("KPEX_PASSKEY_FLAG_BS", passkey.isBackedUp ? "1" : "0"),
        ]
    }
}
