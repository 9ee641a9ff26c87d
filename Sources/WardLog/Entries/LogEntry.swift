package import WardCBOR

/// One entry of the log: signed by the device that wrote it, and with the hash of the device's previous entry.
///
/// Each device has a chain of its own and names the newest entries of other devices that it has seen. So entries need no
/// second signature when devices meet. `Documentation/formats/vault.md`, "Log".
package struct LogEntry: Hashable, Sendable {
    /// The newest entry of another device that the writer had seen.
    package struct Seen: Hashable, Sendable {
        package var device: DeviceID
        package var sequence: UInt64
        package var hash: [UInt8]

        package init(device: DeviceID, sequence: UInt64, hash: [UInt8]) {
            self.device = device
            self.sequence = sequence
            self.hash = hash
        }
    }

    package var version: UInt64 = Self.version
    package var device: DeviceID
    /// The number of the entry on its device, from 1.
    package var sequence: UInt64
    /// The hash of the device's previous entry; `nil` for the first.
    package var previous: [UInt8]?
    package var time: HybridTime
    /// The newest entries of other devices that this device had not named before.
    package var seen: [Seen]
    package var operation: LogOperation
    /// The signatures of owner keys, in the order of the keys: on the operations 5 to 12.
    package var approvals: [LogApproval] = []
    /// The signature of a recovery key: on the operations 5 to 12.
    package var recoveryApproval: LogApproval?
    /// How far the device had read the orders of servers, by the names of the orders.
    package var positions: [RemotePosition] = []
    /// A map of the fields of a later version; `nil` if there are none.
    package private(set) var laterFields: LaterValue?

    package init(
        device: DeviceID,
        sequence: UInt64,
        previous: [UInt8]?,
        time: HybridTime,
        seen: [Seen],
        operation: LogOperation
    ) {
        self.device = device
        self.sequence = sequence
        self.previous = previous
        self.time = time
        self.seen = seen
        self.operation = operation
    }

    package static let version: UInt64 = 1
    package static let hashLength = 32
    package static let signatureLength = 64
    package static let publicKeyLength = 32
    package static let maximumLength = 65_536
    static let rules = CBORRules(maximumDepth: 8, maximumItems: 4096, maximumLength: maximumLength)
}

extension LogEntry {
    /// Fields of a later version.
    package var unknown: [CBORPair] {
        get { laterFields?.value.mapValue ?? [] }
        set { laterFields = newValue.isEmpty ? nil : LaterValue(.map(newValue)) }
    }

    /// The bytes to sign: the entry without its signature.
    package func payload() -> [UInt8] {
        var fields = CBORFields(keeping: unknown)
        fields.put(0, .unsigned(version))
        fields.put(1, .bytes(device.bytes))
        fields.put(2, .unsigned(sequence))
        fields.put(3, previous.map { .bytes($0) })
        fields.put(4, .unsigned(time.value))
        if !seen.isEmpty {
            fields.put(5, .array(seen.map { [.bytes($0.device.bytes), .unsigned($0.sequence), .bytes($0.hash)] }))
        }
        let (code, body) = operation.cbor
        fields.put(6, .unsigned(code))
        fields.put(7, withApprovals(body))
        if !positions.isEmpty { fields.put(.integer(Int64(RemotePosition.field)), .array(positions.map(\.cbor))) }
        return fields.encoded
    }

    private func withApprovals(_ body: CBORValue) -> CBORValue {
        guard var fields = CBORFields(body), !approvals.isEmpty || recoveryApproval != nil else { return body }
        fields.put(.integer(Int64(Self.recoveryField)), recoveryApproval?.cbor)
        if !approvals.isEmpty { fields.put(.integer(Int64(Self.ownerField)), .array(approvals.map(\.cbor))) }
        return fields.value
    }

    /// Signs the entry.
    ///
    /// - Parameters:
    ///   - vault: The vault, or `nil` for the first entry, from which the vault's ID is made.
    ///   - sign: Makes the device's signature of a message.
    /// - Returns: The entry with its signature.
    /// - Throws: What `sign` throws.
    package func signed<E: Error>(
        vault: VaultID?,
        by sign: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E) -> SignedEntry {
        let payload = payload()
        return SignedEntry(
            entry: self,
            payload: payload,
            signature: try sign(Self.signedMessage(payload, vault: vault))
        )
    }

    /// The message of a signature, which contains the vault's ID, so no entry fits into another vault; zeros in the first entry.
    static func signedMessage(_ payload: [UInt8], vault: VaultID?) -> [UInt8] {
        Array("ward/v1/entry".utf8) + [0] + (vault?.bytes ?? [UInt8](repeating: 0, count: hashLength)) + payload
    }

    /// The message that the vault's authority signs to admit a device.
    package static func certificateMessage(device publicKey: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Array("ward/v1/device".utf8) + [0] + nonce + publicKey
    }
}
