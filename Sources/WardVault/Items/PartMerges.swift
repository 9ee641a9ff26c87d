internal import WardWebAuthn

/// The rules that merge the passkeys of two sides.
enum PasskeyMerge {
    /// The values that are always the same on honest devices.
    ///
    /// If they differ, both passkeys stay.
    struct Key: Hashable {
        var credentialID: CredentialID
        var rpID: String
        var userHandle: UserHandle
        var privateKey: SecretBytes

        init(_ passkey: StoredPasskey) {
            credentialID = passkey.credentialID
            rpID = passkey.rpID
            userHandle = passkey.userHandle
            privateKey = passkey.privateKey
        }
    }

    static var rules: MergedList<StoredPasskey, Key>.Rules {
        .init(
            key: { Key($0) },
            // If one side removed a passkey and the other only used it, the passkey is removed.
            isUnchanged: { base, now in
                var now = now
                now.lastUsedAt = base.lastUsedAt
                return now == base
            },
            join: join
        )
    }

    private static func join(_ o: StoredPasskey?, _ a: StoredPasskey, _ b: StoredPasskey) -> StoredPasskey {
        var r = b
        r.rpName = ThreeWay.pick(o?.rpName, a.rpName, b.rpName).value
        r.userName = ThreeWay.pick(o?.userName, a.userName, b.userName).value
        r.userDisplayName = ThreeWay.pick(o?.userDisplayName, a.userDisplayName, b.userDisplayName).value
        r.isHidden = ThreeWay.pick(o?.isHidden, a.isHidden, b.isHidden).value
        r.prf = ThreeWay.pick(optional: o?.prf, a.prf, b.prf)
        r.protection = ThreeWay.pick(optional: o?.protection, a.protection, b.protection)
        r.largeBlob = ThreeWay.pick(optional: o?.largeBlob, a.largeBlob, b.largeBlob)
        r.lastUsedAt = [a.lastUsedAt, b.lastUsedAt].compactMap { $0 }.max()
        r.unknown = UnknownFields.join(o?.unknown, a.unknown, b.unknown)
        return r
    }
}

/// The rules that merge the verification codes of two sides.
enum CodeMerge {
    /// Codes are compared without their counters.
    ///
    /// Of two counters the larger one is used.
    static var rules: MergedList<OneTimePassword, OneTimePassword>.Rules {
        .init(
            key: identity,
            isUnchanged: { identity($0) == identity($1) },
            join: { o, a, b in
                var r = b
                if case .hotp(let mine) = a.kind, case .hotp(let theirs) = b.kind {
                    r.kind = .hotp(counter: max(mine, theirs))
                }
                r.unknown = UnknownFields.join(o?.unknown, a.unknown, b.unknown)
                return r
            }
        )
    }

    private static func identity(_ code: OneTimePassword) -> OneTimePassword {
        var code = code
        if case .hotp = code.kind { code.kind = .hotp(counter: 0) }
        code.unknown = UnknownFields()
        return code
    }
}

extension Password {
    func with(history: [Previous], unknown: UnknownFields) -> Password {
        var password = Password(value, changedAt: changedAt, history: history)
        password.unknown = unknown
        return password
    }
}

extension Item {
    /// Whether two states of an item differ only in the trash and in values that the vault sets.
    func isSame(as other: Item?) -> Bool {
        guard var other else { return false }
        other.deletedAt = deletedAt
        other.modifiedAt = modifiedAt
        other.createdAt = createdAt
        other.change = change
        other.conflicts = conflicts
        other.revision = revision
        // The password history also grows when two sides are merged.
        if password?.value == other.password?.value { other.password = password }
        return self == other
    }
}

extension Item.Change {
    /// A merge of the revisions of several devices.
    public static let merged = Self(rawValue: "merged")
}

extension ItemConflict {
    /// If both sides have the same value, it is one conflict.
    ///
    /// If one side has removed the conflict, it stays removed.
    static var rules: MergedList<ItemConflict, Identity>.Rules {
        .init(key: \.identity, isUnchanged: { _, _ in true }, join: { _, a, b in min(a, b) })
    }
}
