internal import WardCBOR
internal import WardCOSE
internal import WardWebAuthn

/// The encoding of passkeys and codes in an item.
///
/// `Documentation/formats/vault.md`, "Items".
extension StoredPasskey {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        map.put(1, bytes: credentialID.bytes)
        map.put(2, text: rpID)
        map.put(3, text: rpName)
        map.put(4, bytes: userHandle.bytes)
        map.put(5, text: userName)
        map.put(6, text: userDisplayName)
        map.put(7, integer: Int64(algorithm.rawValue))
        map.put(8, bytes: privateKey.revealed)
        map.put(9, bytes: prf?.withVerification.revealed)
        map.put(10, bytes: prf?.withoutVerification?.revealed)
        map.put(11, .bool(isBackupEligible))
        map.put(12, .bool(isBackedUp))
        map.put(13, integer: createdAt)
        map.put(14, text: createdBy.rawValue)
        map.put(15, integer: lastUsedAt)
        map.put(16, flag: isHidden)
        map.put(17, integer: protection.map(Int64.init))
        map.put(18, bytes: largeBlob?.revealed)
        return map.value
    }

    init(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "passkey")
        guard let credentialID = CredentialID(try map.required(map.bytes(1), 1)) else {
            throw VaultError(.malformedItem, "a credential ID must have 1 to 1,023 bytes")
        }
        self.credentialID = credentialID
        rpID = try map.required(map.text(2), 2)
        rpName = try map.text(3) ?? ""
        guard let userHandle = UserHandle(try map.required(map.bytes(4), 4)) else {
            throw VaultError(.malformedItem, "a user handle must have 1 to 64 bytes")
        }
        self.userHandle = userHandle
        userName = try map.text(5) ?? ""
        userDisplayName = try map.text(6) ?? ""
        guard let number = Int(exactly: try map.required(map.integer(7), 7)) else {
            throw VaultError(.malformedItem, "a passkey's algorithm is a number that is too large")
        }
        algorithm = COSEAlgorithmIdentifier(rawValue: number)
        privateKey = SecretBytes(try map.required(map.bytes(8), 8))
        let withVerification = try map.bytes(9)
        let withoutVerification = try map.bytes(10)
        if let withVerification {
            prf = PRFSecrets(
                withVerification: SecretBytes(withVerification),
                withoutVerification: withoutVerification.map(SecretBytes.init)
            )
        } else if withoutVerification != nil {
            throw VaultError(
                .malformedItem,
                "a passkey has the PRF secret without user verification, but not the one with it"
            )
        }
        isBackupEligible = try map.required(map.bool(11), 11)
        isBackedUp = try map.required(map.bool(12), 12)
        createdAt = try map.integer(13) ?? 0
        createdBy = Creator(rawValue: try map.text(14) ?? "")
        lastUsedAt = try map.integer(15)
        isHidden = try map.bool(16) ?? false
        if let level = try map.integer(17) {
            guard let small = Int(exactly: level) else {
                throw VaultError(.malformedItem, "a passkey's credential protection level is out of range")
            }
            protection = small
        }
        largeBlob = try map.bytes(18).map(SecretBytes.init)
        unknown = map.unknown
    }
}

extension OneTimePassword {
    var cbor: CBORValue {
        var map = MapWriter(keeping: unknown)
        switch kind {
        case .totp(let period):
            map.put(1, text: "totp")
            if period != 30 { map.put(5, integer: Int64(period)) }
        case .hotp(let counter):
            map.put(1, text: "hotp")
            map.put(6, .unsigned(counter))
        case .steam:
            map.put(1, text: "steam")
        }
        map.put(2, bytes: secret.revealed)
        if algorithm != .sha1 { map.put(3, integer: Int64(algorithm.rawValue)) }
        if kind != .steam, digits != 6 { map.put(4, integer: Int64(digits)) }
        map.put(7, text: issuer)
        map.put(8, text: account)
        return map.value
    }

    /// Reads a code's secret; `nil` if it has a kind or value of a later version.
    init?(_ value: CBORValue) throws(VaultError) {
        var map = try MapReader(value, "code")
        let type = try map.text(1) ?? ""
        guard ["totp", "hotp", "steam"].contains(type) else { return nil }
        let secret = try map.required(map.bytes(2), 2)
        guard let algorithm = Algorithm(rawValue: Int(clamping: try map.integer(3) ?? 1)) else { return nil }
        let digits = Int(clamping: try map.integer(4) ?? 6)
        let period = Int(clamping: try map.integer(5) ?? 30)
        let counter = map.value(6)
        let kind: Kind
        switch (type, counter) {
        case ("totp", nil): kind = .totp(period: period)
        case ("hotp", .unsigned(let number)): kind = .hotp(counter: number)
        case ("steam", nil): kind = .steam
        default: return nil
        }
        let issuer = try map.text(7) ?? ""
        let account = try map.text(8) ?? ""
        guard
            let code = try? OneTimePassword(
                kind,
                secret: secret,
                algorithm: algorithm,
                digits: digits,
                issuer: issuer,
                account: account
            )
        else { return nil }
        self = code
        unknown = map.unknown
    }
}
