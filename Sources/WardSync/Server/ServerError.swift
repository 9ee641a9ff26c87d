package import WardText

/// Why a sync server did not do what this device asked for.
///
/// Errors are equal if their codes are. The sentences are this program's own: nothing that a server writes is shown.
package struct ServerError: CodedError {
    /// The kind of problem: the code of the server's problem document, or one of this device.
    package struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        package let name: String

        /// Takes what a server says.
        init(name: String) { self.name = name }

        /// Whether this version knows the code.
        package var isKnown: Bool { Known(rawValue: name) != nil }

        /// What is wrong, then what to do next.
        fileprivate func sentence(for purpose: ServerPurpose) -> String {
            (Known(rawValue: name) ?? .refused).sentence(for: purpose)
        }

        /// The same after a command that does something once.
        func ending(for purpose: ServerPurpose) -> String { (Known(rawValue: name) ?? .refused).ending(for: purpose) }
    }

    /// The kind of problem.
    package let code: Code
    /// What is wrong, and what to do: for a vault that is synced with the server, unless somebody chose other words.
    package internal(set) var detail: String
    /// The HTTP status; `nil` if there was no answer.
    package var status: UInt?
    /// The number of seconds after which to try again, if the server said so.
    package var retryAfter: Int64?
    /// The members of the problem document.
    ///
    /// They come from outside: a caller checks what it uses.
    package var members: [JSONValue.Member] = []

    package init(_ code: Code, status: UInt? = nil) {
        self.code = code
        self.detail = code.sentence(for: .syncing)
        self.status = status
    }

    /// What is wrong, and what to do.
    ///
    /// A move is done once, and nothing tries it again.
    package func detail(for purpose: ServerPurpose) -> String {
        purpose == .moving ? code.ending(for: purpose) : code.sentence(for: purpose)
    }

    /// The number of the vault's last entry, if the problem document has it.
    package var head: UInt64? { members["head"]?.integerValue.flatMap { UInt64(exactly: $0) } }

    /// The hashes in a member of the problem document.
    package func hashes(_ name: String) -> [[UInt8]] {
        let values = members[name]?.arrayValue ?? members[name].map { [$0] } ?? []
        return values.compactMap { $0.stringValue.flatMap { Hex.decode($0) } }.filter { $0.count == 32 }
    }
}
