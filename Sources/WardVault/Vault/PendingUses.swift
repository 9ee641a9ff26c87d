internal import WardCBOR
internal import WardWebAuthn

/// When passkeys were used on this device, until that is in the log.
///
/// An entry shows a server or a folder when it was written. So the uses of a day are written together, at a moment that chance
/// decides and that says nothing about the uses.
struct PendingUses: Hashable {
    /// The number of passkeys after which nothing waits any more.
    static let most = 250
    /// The uses are written at a moment in so many seconds after the first one.
    static let wait: UInt64 = 86_400

    /// The latest use of each passkey, in seconds since 1970.
    private(set) var times: [CredentialID: Int64] = [:]
    /// When the uses are to be written, in seconds since 1970.
    private(set) var dueAt: Int64 = 0

    init() {}

    /// Notes a use.
    ///
    /// - Parameters:
    ///   - credentialID: The passkey.
    ///   - now: The time.
    ///   - chance: A number that nobody can guess.
    mutating func note(_ credentialID: CredentialID, at now: Int64, chance: UInt64) {
        if times.isEmpty { dueAt = now &+ Int64(chance % Self.wait) }
        times[credentialID] = now
        if times.count >= Self.most { dueAt = now }
    }

    /// Whether uses are to be written now; also if the clock was put back by more than they can wait.
    func isDue(_ now: Int64) -> Bool {
        !times.isEmpty && (now >= dueAt || dueAt &- now > Int64(Self.wait))
    }
}

extension PendingUses {
    /// The name of the record in which a device keeps them.
    static let record = "passkey-uses"

    /// Reads a record; what cannot be read is left out.
    init(record: [UInt8]?) {
        guard let record, let value = try? CBORValue.decode(record), let due = value[1]?.integerValue else { return }
        dueAt = due
        for pair in value[2]?.arrayValue ?? [] {
            guard let pair = pair.arrayValue, pair.count == 2, times.count < Self.most,
                let id = pair[0].bytesValue.flatMap({ CredentialID($0) }), let time = pair[1].integerValue
            else { continue }
            times[id] = time
        }
    }

    /// The record; `nil` if nothing waits.
    var encoded: [UInt8]? {
        guard !times.isEmpty else { return nil }
        let pairs = times.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        var fields = CBORFields()
        fields.put(1, .integer(dueAt))
        fields.put(2, .array(pairs.map { .array([.bytes($0.key.bytes), .integer($0.value)]) }))
        return fields.encoded
    }
}

extension PendingUses {
    /// An item as the person sees it.
    func shown(in item: Item) -> Item {
        guard !times.isEmpty, item.passkeys.contains(where: { times[$0.credentialID] != nil }) else { return item }
        var item = item
        for index in item.passkeys.indices {
            item.passkeys[index].lastUsedAt = latest(item.passkeys[index].credentialID, item.passkeys[index].lastUsedAt)
        }
        return item
    }

    /// A summary as the person sees it.
    func shown(in summary: ItemSummary) -> ItemSummary {
        guard !times.isEmpty, summary.passkeys.contains(where: { times[$0.credentialID] != nil }) else {
            return summary
        }
        var summary = summary
        for index in summary.passkeys.indices {
            let passkey = summary.passkeys[index]
            summary.passkeys[index].lastUsedAt = latest(passkey.credentialID, passkey.lastUsedAt)
        }
        return summary
    }

    /// Summaries as the person sees them.
    func shown(in summaries: [ItemSummary]) -> [ItemSummary] {
        times.isEmpty ? summaries : summaries.map { shown(in: $0) }
    }

    private func latest(_ credentialID: CredentialID, _ written: Int64?) -> Int64? {
        times[credentialID].map { max($0, written ?? $0) } ?? written
    }
}
