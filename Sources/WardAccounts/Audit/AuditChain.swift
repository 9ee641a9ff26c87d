import Crypto
internal import WardCBOR
internal import WardWebAuthn

/// A place in the audit log: the number of a row and its hash, which stands for all rows up to it.
public struct AuditPoint: Hashable, Sendable {
    /// The length of ``hash``, in bytes.
    public static let hashLength = 32

    /// The place before the first row.
    public static let start = Self(number: 0, hash: Array(repeating: 0, count: hashLength))

    /// The number of the row.
    public var number: Int64
    /// The hash of the row.
    public var hash: [UInt8]

    /// Creates a place.
    public init(number: Int64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }

    /// The row that follows this place.
    public func next(_ event: AuditEvent) -> AuditEntry {
        let (number, _) = number.addingReportingOverflow(1)
        return AuditEntry(number: number, event: event, hash: Self.hash(number, event, after: hash))
    }

    /// SHA-256 over the canonical CBOR of the hash before and the row.
    ///
    /// A row without details has the hash that it had before there were details.
    private static func hash(_ number: Int64, _ event: AuditEvent, after previous: [UInt8]) -> [UInt8] {
        var writer = CBORWriter()
        let details = event.details.text
        writer.writeArray(count: details == nil ? 9 : 10)
        writer.write(text: details == nil ? "ward audit 1" : "ward audit 2")
        writer.write(bytes: previous)
        writer.write(integer: number)
        writer.write(integer: event.time)
        writer.write(text: event.kind.rawValue)
        writer.write(text: event.actor.rawValue)
        if let id = event.account { writer.write(bytes: id.bytes) } else { writer.writeNull() }
        if let method = event.method { writer.write(text: method.rawValue) } else { writer.writeNull() }
        if let id = event.credential { writer.write(bytes: id.bytes) } else { writer.writeNull() }
        if let details { writer.write(text: details) }
        return [UInt8](SHA256.hash(data: writer.bytes))
    }
}

extension AuditEntry {
    /// The place of this row.
    public var point: AuditPoint { AuditPoint(number: number, hash: hash) }
}
