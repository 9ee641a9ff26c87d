/// Why a list of breached passwords cannot be used.
package struct BreachedPasswordError: Error, Equatable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: Equatable, Sendable {
        /// The file cannot be opened or read, or is not a regular file.
        case fileUnreadable(String)
        /// A line of the file does not begin with a hash.
        case fileNotHashes(String, at: Int)
        /// The lines of the file are not sorted by hash.
        case fileNotSorted(String)
        /// The address of the service is not an https address without query.
        case address
        /// The answer of the service is not a list of hashes.
        case answer
    }

    /// The kind of error.
    package let code: Code

    init(_ code: Code) { self.code = code }

    /// A sentence without its end.
    package var description: String {
        switch code {
        case .fileUnreadable(let path): "the breached passwords in \(path) cannot be used: the file cannot be read"
        case .fileNotHashes(let path, let position):
            "the breached passwords in \(path) cannot be used: expected a text file with SHA-1 hashes in hexadecimal digits, "
                + "one a line. There is something else near byte \(position)"
        case .fileNotSorted(let path):
            "the breached passwords in \(path) cannot be used: the lines must be sorted by hash"
        case .address:
            "this address cannot be used to look up breached passwords: expected an address like "
                + BreachedPasswordRange.standard
        case .answer: "the answer is not a list of hashes"
        }
    }
}
