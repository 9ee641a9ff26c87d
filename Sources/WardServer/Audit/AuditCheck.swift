import Foundation
package import WardAccounts
package import WardText

/// Verifies the whole audit log with the service's key, and with the signed heads that were written to a file.
package struct AuditCheck: Sendable {
    /// What a verification found.
    package struct Result: Sendable {
        /// The number of the first row that the store has.
        package let first: Int64
        /// The number of the last row; smaller than ``first`` if there are no rows.
        package let last: Int64
        /// The number of heads that the log was compared with.
        package let heads: Int
        /// What is wrong, or `nil` if the log is as it was written.
        package let finding: AuditVerification.Finding?

        /// The result as JSON.
        package var json: JSONValue {
            if let finding { return ["valid": false, "finding": .string(finding.name), "row": .integer(finding.row)] }
            return [
                "valid": true, "first": .integer(first), "last": .integer(last), "heads": .integer(Int64(heads)),
            ]
        }
    }

    private let key: String
    private let heads: String?

    /// - Parameters:
    ///   - key: The path of the key's file.
    ///   - heads: The path of the file of heads, if there is one.
    package init(key: String, heads: String?) {
        self.key = key
        self.heads = heads
    }

    /// The check of a service's own log, or `nil` if the log is not signed.
    init?(_ configuration: ServerConfiguration) {
        guard let key = configuration.auditKey else { return nil }
        self.init(key: key, heads: configuration.auditHeads)
    }

    /// Reads all rows, in several transactions so that nobody waits long.
    ///
    /// - Parameter store: The store.
    /// - Returns: What was found.
    /// - Throws: ``ServerStartError`` if the key cannot be read, ``ServerConfigurationError`` if the heads cannot; the store's
    ///   errors.
    package func run<Store: AccountStore>(on store: Store) async throws -> Result {
        let heads = try readHeads()
        let checkpoint = try await store.read { try await $0.auditCheckpoint() }
        var verification = try AuditVerification(checkpoint: checkpoint, heads: heads, keyAt: key)
        var number = verification.end.number
        let first = number + 1
        while true {
            let after = number
            let page = try await store.read { try await $0.auditEntries(after: after, limit: Sweeping.slice) }
            for entry in page { verification.read(entry) }
            guard let last = page.last else { break }
            number = last.number
            try Task.checkCancellation()
        }
        return Result(first: first, last: number, heads: heads.count, finding: verification.finding())
    }

    /// The heads in the file.
    private func readHeads() throws(ServerConfigurationError) -> [AuditSeal] {
        guard let heads else { return [] }
        guard let text = try? String(contentsOfFile: heads, encoding: .utf8) else {
            throw ServerConfigurationError("--audit-heads: \(heads) cannot be read")
        }
        var seals: [AuditSeal] = []
        for (index, line) in text.split(separator: "\n").enumerated() {
            guard let json = try? JSONValue(Array(line.utf8)), let head = AuditSeal(head: json) else {
                throw ServerConfigurationError(
                    "--audit-heads: line \(index + 1) of \(heads) is not a signed head of an audit log"
                )
            }
            seals.append(head)
        }
        return seals
    }
}

extension AuditVerification.Finding {
    /// A stable word for JSON.
    package var name: String {
        switch self {
        case .checkpointForged: "checkpoint_forged"
        case .headForged: "head_forged"
        case .removed: "removed"
        case .changed: "changed"
        case .rewritten: "rewritten"
        case .cutOff: "cut_off"
        }
    }

    /// The first row of the finding; 0 stands for the checkpoint.
    package var row: Int64 {
        switch self {
        case .checkpointForged: 0
        case .headForged(let number), .removed(let number), .changed(let number): number
        case .rewritten(let first, _), .cutOff(let first, _): first
        }
    }
}
