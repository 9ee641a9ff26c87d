/// What is wrong, as a word that programs can rely on.
///
/// A code is a struct and not an `enum`, so a minor release may add codes.
public protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// A stable word for logs and JSON, in snake case.
    var name: String { get }
}

extension ErrorCode {
    /// The word itself.
    public var description: String { name }
}

/// An error with a code that says what is wrong, and a sentence with the details.
///
/// Errors are equal when their codes are.
public protocol CodedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of this error.
    associatedtype Code: ErrorCode
    /// What is wrong.
    var code: Code { get }
    /// What was expected and found, without secrets. It may be empty.
    var detail: String { get }
}

extension CodedError {
    /// Creates an error from a code alone.
    public var detail: String { "" }
    /// One line for a log.
    public var description: String { detail.isEmpty ? code.name : "\(code.name): \(detail)" }
    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
