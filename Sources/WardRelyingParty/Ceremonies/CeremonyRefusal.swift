/// What a service throws from a hook to refuse a ceremony that passed every check.
///
/// The ceremony then ends with a ``VerificationError`` of the code `accountRefused`. The transaction goes on: the challenge
/// is used up, and nothing of the credential is written.
///
/// ```swift
/// guard try !tx.isBanned(user) else { throw CeremonyRefusal("the account is closed") }
/// ```
public struct CeremonyRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for the log and without secrets.
    public let description: String

    /// Refuses with a reason.
    public init(_ description: String) { self.description = description }
}
