package import WardAccounts
import WardRelyingParty
package import WardText
import WardWebAuthn

/// Records in the form of the JSON API.
extension JSONValue {
    init(_ account: Account) {
        self = [
            "id": .string(account.id.text),
            "username": .string(account.username.text),
            "displayName": .string(account.displayName),
            "userHandle": .string(account.userHandle.base64URL),
            "createdAt": .string(JSONTime.text(account.createdAt)),
            "groups": .array(account.groups.map { .string($0.text) }),
        ]
    }

    /// An account's e-mail addresses; `null` if it has none.
    init(_ email: AccountEmail?, at now: Int64) {
        let (confirmed, pending) = (email?.confirmed?.address, email?.pending(at: now))
        guard confirmed != nil || pending != nil else {
            self = .null
            return
        }
        self = [
            "confirmed": confirmed.map { .string($0.text) } ?? .null,
            "pending": pending.map { .string($0.text) } ?? .null,
        ]
    }

    init(_ passkey: Passkey) {
        let record = passkey.record
        self = [
            "id": .string(record.id.base64URL),
            "name": .string(passkey.name),
            "createdAt": .string(JSONTime.text(passkey.createdAt)),
            "lastUsedAt": passkey.lastUsedAt.map { .string(JSONTime.text($0)) } ?? .null,
            "transports": .array(record.transports.map { .string($0.rawValue) }),
            "canVerify": .bool(passkey.canVerify),
            "backupEligible": .bool(record.backupEligible),
            "backedUp": .bool(record.backedUp),
            "aaguid": .string(record.aaguid.description),
            // The authenticator itself claims this name, so it is only a hint for display.
            "provider": record.aaguid.commonName.map { .string($0) } ?? .null,
        ]
    }

    /// The credential IDs of all passkeys of an account, for `PublicKeyCredential.signalAllAcceptedCredentials`.
    init(accepted passkeys: [Passkey]) {
        self = .array(passkeys.map { .string($0.record.id.base64URL) })
    }

    /// A passkey with the values that only the owner's export contains.
    init(exporting passkey: Passkey) {
        let record = passkey.record
        let more: [JSONValue.Member] = [
            .init("publicKey", .string(Base64URL.encode(record.publicKey))),
            .init("signCount", .integer(Int64(record.signCount))),
            .init("userVerified", .bool(record.uvInitialized)),
            .init("rpId", .string(record.rpID)),
            .init("verifiedModel", passkey.verifiedModel.map { JSONValue($0) } ?? .null),
        ]
        self = .object((JSONValue(passkey).objectValue ?? []) + more)
    }

    private init(_ model: VerifiedModel) {
        self = [
            "aaguid": .string(model.aaguid.description),
            "format": .string(model.format),
            "verifiedAt": .string(JSONTime.text(model.verifiedAt)),
        ]
    }

    init(_ session: Session, isCurrent: Bool, from address: String? = nil) {
        let members = JSONValue(listing: session).objectValue ?? []
        let own: [JSONValue.Member] = [
            .init("address", address.map { .string($0) } ?? .null), .init("current", .bool(isCurrent)),
        ]
        self = .object(members + own)
    }

    /// A session in an administrator's list.
    package init(listing session: Session) {
        self = [
            "id": .string(session.id.text),
            "createdAt": .string(JSONTime.text(session.createdAt)),
            "method": .string(session.method.rawValue),
            "userVerified": .bool(session.passkeyProof?.userVerified ?? false),
            "secondFactor": session.secondFactor.map { .string($0.rawValue) } ?? .null,
            "passkey": session.passkeyProof.map { .string($0.credentialID.base64URL) } ?? .null,
            "lastSeenAt": .string(JSONTime.text(session.lastSeenAt)),
            "expiresAt": .string(JSONTime.text(min(session.expiresAt, session.idleExpiresAt ?? session.expiresAt))),
            "userAgent": .string(session.clientID == nil ? session.userAgent : ""),
            "device": session.clientID == nil ? .null : .string(session.userAgent),
            "deviceBound": .bool(session.binding != nil),
        ]
    }
}
