/// A stored credential: the standard's record and the service's own values.
///
/// A service adds its own columns here, such as a name and the time of the last use:
///
/// ```swift
/// struct MyPasskey: CredentialEntry {
/// var record: CredentialRecord
/// var nickname: String
/// var lastUsedAt: Int64?
/// }
/// ```
///
/// A store without columns of its own uses ``CredentialRecord`` itself.
public protocol CredentialEntry: Sendable {
    /// The standard's record.
    var record: CredentialRecord { get set }
}

extension CredentialRecord: CredentialEntry {
    /// The record itself.
    public var record: CredentialRecord {
        get { self }
        set { self = newValue }
    }
}
