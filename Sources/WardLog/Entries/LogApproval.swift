internal import Crypto
internal import WardCBOR

/// A signature of an owner key or a recovery key on an entry, beside that of the entry's device.
///
/// `Documentation/formats/sync.md`, "Signatures".
package struct LogApproval: Hashable, Sendable {
    /// The Ed25519 key, 32 bytes.
    package var publicKey: [UInt8]
    package var signature: [UInt8]

    package init(publicKey: [UInt8], signature: [UInt8]) {
        self.publicKey = publicKey
        self.signature = signature
    }
}

/// A key that approves entries.
package struct ApprovalSigner<Failure: Error> {
    package let publicKey: [UInt8]
    package let sign: ([UInt8]) throws(Failure) -> [UInt8]

    package init(publicKey: [UInt8], sign: @escaping ([UInt8]) throws(Failure) -> [UInt8]) {
        self.publicKey = publicKey
        self.sign = sign
    }
}

extension LogApproval {
    var cbor: CBORValue { [.bytes(publicKey), .bytes(signature)] }

    init(cbor: CBORValue) throws(LogError) {
        guard let parts = cbor.arrayValue, parts.count == 2, let publicKey = parts[0].bytesValue,
            let signature = parts[1].bytesValue, publicKey.count == LogEntry.publicKeyLength,
            signature.count == LogEntry.signatureLength
        else { throw OperationReader.malformed }
        self.init(publicKey: publicKey, signature: signature)
    }
}

extension LogEntry {
    /// The fields of a body that have approvals: of a recovery key, and of owner keys.
    static let (recoveryField, ownerField) = (14, 15)
    /// The operations that can be approved.
    static let approvable: ClosedRange<UInt64> = 5...12

    /// What an approval signs: SHA-256 of the payload without the fields 14 and 15 of its body.
    ///
    /// - Throws: ``LogError`` with `malformed`.
    package static func approvedContent(_ payload: [UInt8]) throws(LogError) -> [UInt8] {
        guard let value = try? CBORValue.decode(payload, rules: rules), let pairs = value.mapValue else {
            throw OperationReader.malformed
        }
        let stripped = pairs.map { pair in
            guard pair.key == 7, let body = pair.value.mapValue else { return pair }
            let rest = body.filter {
                ![CBORValue.integer(Int64(recoveryField)), .integer(Int64(ownerField))].contains($0.key)
            }
            return CBORPair(key: pair.key, value: .map(rest))
        }
        return Array(SHA256.hash(data: CBORValue.map(stripped).encoded()))
    }

    /// The message that an owner key signs to approve an entry.
    package static func ownerMessage(_ content: [UInt8], vault: VaultID) -> [UInt8] {
        Array("ward/v1/owner".utf8) + [0] + vault.bytes + content
    }

    /// The message that a recovery key signs to approve an entry.
    package static func recoveryMessage(_ content: [UInt8], vault: VaultID) -> [UInt8] {
        Array("ward/v1/recovery/sign".utf8) + [0] + vault.bytes + content
    }

    /// The entry with the approvals of these keys.
    ///
    /// The device signs it afterwards.
    ///
    /// - Throws: What the signers throw, or ``LogError`` with `malformed` if the entry is too long.
    package func approved<Failure: Error>(
        vault: VaultID,
        owners: [ApprovalSigner<Failure>],
        recovery: ApprovalSigner<Failure>? = nil
    ) throws -> LogEntry {
        var entry = self
        (entry.approvals, entry.recoveryApproval) = ([], nil)
        let content = try Self.approvedContent(entry.payload())
        let sorted = owners.sorted { $0.publicKey.lexicographicallyPrecedes($1.publicKey) }
        entry.approvals = try sorted.map { signer in
            let signature = try signer.sign(Self.ownerMessage(content, vault: vault))
            return LogApproval(publicKey: signer.publicKey, signature: signature)
        }
        if let recovery {
            let signature = try recovery.sign(Self.recoveryMessage(content, vault: vault))
            entry.recoveryApproval = LogApproval(publicKey: recovery.publicKey, signature: signature)
        }
        return entry
    }
}
