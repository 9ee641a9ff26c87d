/// An error that a service's hook throws to refuse a ceremony that passed every check.
///
/// The ceremony then ends with a ``VerificationError`` of the code `accountRefused`. The transaction still commits: the
/// challenge is used up, and the credential is not written.
///
/// ```swift
/// guard try !tx.isBanned(user) else { throw CeremonyRefusal("the account is closed") }
/// ```
public struct CeremonyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason for the log, without secrets.
    public let description: String

    /// Creates a refusal with a reason.
    public init(_ description: String) { self.description = description }
}
