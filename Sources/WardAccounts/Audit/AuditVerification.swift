public import Crypto

/// Reads the audit log from its beginning and finds the first row that was changed after it was written.
///
/// Pass all rows in order, then call ``finding()``.
public struct AuditVerification: Sendable {
    /// What is wrong.
    public enum Finding: Hashable, Sendable {
        /// The checkpoint at the beginning is not signed by the key.
        case checkpointForged
        /// A head is not signed by the key: the file of heads or the key is not the right one.
        case headForged(number: Int64)
        /// A row is missing.
        case removed(number: Int64)
        /// A row has other contents than when it was written, or its hash was changed.
        case changed(number: Int64)
        /// The hashes match each other, but not the signed head: one of these rows was changed.
        case rewritten(first: Int64, last: Int64)
        /// The last rows are missing.
        case cutOff(first: Int64, last: Int64)
    }

    private let key: Curve25519.Signing.PublicKey
    private var heads: ArraySlice<AuditSeal>
    private var point: AuditPoint
    /// The last row that a head, or the checkpoint, confirms.
    private var confirmed: Int64
    private var first: Finding?

    /// - Parameters:
    ///   - checkpoint: The store's checkpoint, if rows were deleted because they were old.
    ///   - heads: Signed heads from outside the database, in any order.
    ///   - key: The service's key.
    public init(checkpoint: AuditSeal?, heads: [AuditSeal], key: Curve25519.Signing.PublicKey) {
        self.key = key
        point = checkpoint?.point ?? .start
        confirmed = point.number
        let deleted = point.number
        self.heads = heads.filter { $0.point.number >= deleted }.sorted { $0.point.number < $1.point.number }[...]
        if let checkpoint, checkpoint.purpose != .checkpoint || !checkpoint.isValid(for: key) {
            first = .checkpointForged
        } else if let forged = heads.first(where: { $0.purpose != .head || !$0.isValid(for: key) }) {
            first = .headForged(number: forged.point.number)
        }
        compareHeads()
    }

    /// The last place that was read.
    public var end: AuditPoint { point }

    /// Reads the next row.
    public mutating func read(_ entry: AuditEntry) {
        guard first == nil else { return }
        let expected = point.next(entry.event)
        guard entry.number == expected.number else {
            // The number of a row must be one more than the number before. A larger number means that rows are missing.
            first = .removed(number: expected.number)
            return
        }
        guard entry.hash == expected.hash else {
            first = .changed(number: entry.number)
            return
        }
        point = entry.point
        compareHeads()
    }

    private mutating func compareHeads() {
        while first == nil, let head = heads.first, head.point.number <= point.number {
            heads.removeFirst()
            if head.point == point {
                confirmed = point.number
            } else {
                first = .rewritten(first: confirmed + 1, last: point.number)
            }
        }
    }

    /// The first problem, or `nil` if the log is as it was written.
    public func finding() -> Finding? {
        if let first { return first }
        guard let last = heads.last else { return nil }
        return .cutOff(first: point.number + 1, last: last.point.number)
    }
}
