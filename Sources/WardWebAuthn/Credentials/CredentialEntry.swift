/// What a store keeps of a credential: the standard's record, and what the service keeps beside it.
///
/// A service adds its own columns here, such as a name and the time of the last use:
///
/// ```swift
/// struct MyPasskey: CredentialEntry {
///     var record: CredentialRecord
///     var nickname: String
///     var lastUsedAt: Int64?
/// }
/// ```
///
/// A store that keeps nothing beside the record uses ``CredentialRecord`` itself.
public protocol CredentialEntry: Sendable {
    /// The standard's part.
    var record: CredentialRecord { get set }
}

extension CredentialRecord: CredentialEntry {
    /// The record itself.
    public var record: CredentialRecord {
        get { self }
        set { self = newValue }
    }
}
