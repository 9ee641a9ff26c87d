import WardCBOR
import WardCOSE
import WardVault
import WardWebAuthn

/// Items to test with.
enum Sample {
    static func passkey(number: UInt8, site: String = "example.com") throws -> StoredPasskey {
        let key = try COSEPrivateKey(
            algorithm: .edDSA,
            rawRepresentation: [UInt8](repeating: number, count: 32)
        )
        return StoredPasskey(
            credentialID: CredentialID([UInt8](repeating: number, count: 32))!,
            rpID: site,
            rpName: "Example",
            userHandle: UserHandle([number, 2, 3])!,
            userName: "alice",
            userDisplayName: "Alice A.",
            algorithm: .edDSA,
            privateKey: try StoredPasskey.encodePrivateKey(key),
            prf: .init(
                withVerification: SecretBytes([UInt8](repeating: 8, count: 32)),
                withoutVerification: SecretBytes([UInt8](repeating: 9, count: 32))
            ),
            isBackedUp: true,
            createdAt: 1_700_000_000,
            createdBy: .upgrade,
            lastUsedAt: 1_700_000_100,
            isHidden: true,
            protection: 3,
            largeBlob: SecretBytes([7])
        )
    }

    /// An item in which nothing is empty.
    static func full(id: ItemID = ItemID()) throws -> Item {
        Item(
            .login,
            title: "Example",
            sites: [
                Site("https://login.example.com/start", match: .host), Site(.androidApp("com.example")),
                Site(.iosApp("com.example.ios"), match: .never),
            ],
            username: "alice@example.com",
            password: Password(
                "correct horse",
                changedAt: 1_700_000_000,
                history: [.init(value: "older battery", replacedAt: 1_700_000_000)]
            ),
            passkeys: [try passkey(number: 1), try passkey(number: 2)],
            codes: [
                try OneTimePassword(secret: [1, 2, 3], issuer: "Example", account: "alice"),
                try OneTimePassword(.hotp(counter: 7), secret: [4], algorithm: .sha512, digits: 8),
                try OneTimePassword(.steam, secret: [5]),
                try OneTimePassword(.totp(period: 60), secret: [6], algorithm: .sha256, digits: 7),
            ],
            notes: "the note",
            sections: [
                FieldSection(fields: [
                    Field(label: "Customer number", text: "C-1"), Field(label: "PIN", text: "4242", isConcealed: true),
                ]),
                FieldSection(label: "Keys", fields: [Field(label: "blob", value: .bytes(SecretBytes([0, 255])))]),
            ],
            tags: ["work", "Straße"],
            isFavorite: true,
            createdAt: 1_600_000_000,
            extensions: ["vendor.example": [1, 2, 3]],
            id: id
        )
    }

    /// One item of every kind but a login.
    static func otherKinds(id: () -> ItemID = { ItemID() }) -> [Item] {
        let fields: [(ItemKind, [Field])] = [
            (
                .card,
                [
                    Field(.number, "4242424242424242", type: .concealed), Field(.fullName, "ALICE A"),
                    Field(.expiryDate, "2030-01", type: .yearMonth),
                    Field(.verificationNumber, "123", type: .concealed),
                ]
            ),
            (
                .identity,
                [Field(.given, "Alice"), Field(.surname, "A"), Field(.birthDate, "1990-01-02", type: .date)]
            ),
            (
                .wifi,
                [
                    Field(.ssid, "net"), Field(.networkSecurityType, "wpa3-personal", type: .networkSecurity),
                    Field(.passphrase, "long enough", type: .concealed), Field(.hidden, "true", type: .boolean),
                ]
            ),
            (.sshKey, [Field(.keyType, "ssh-ed25519"), Field(.privateKey, value: .bytes(SecretBytes([1, 2, 3])))]),
            (.apiKey, [Field(.key, "secret", type: .concealed), Field(.url, "https://api.example.com")]),
            (.note, [Field(label: "more", text: "text")]),
            ("spaceship", [Field("warp", "9")]),
        ]
        return fields.map { kind, fields in
            Item(kind, title: kind.rawValue, sections: [FieldSection(kind: kind, fields: fields)], id: id())
        }
    }

    /// Adds a pair to every map that has integer keys.
    static func adding(_ pair: CBORPair, to value: CBORValue) -> CBORValue {
        switch value {
        case .array(let elements): return .array(elements.map { adding(pair, to: $0) })
        case .map(let pairs):
            let inner = pairs.map { CBORPair(key: $0.key, value: adding(pair, to: $0.value)) }
            return .map(pairs.allSatisfy { $0.key.integerValue != nil } ? inner + [pair] : inner)
        default: return value
        }
    }

    static func replacing(_ key: CBORValue, with new: CBORValue, in value: CBORValue) -> CBORValue {
        .map((value.mapValue ?? []).filter { $0.key != key } + [CBORPair(key: key, value: new)])
    }
}
