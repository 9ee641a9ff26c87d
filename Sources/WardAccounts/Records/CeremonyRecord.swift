public import WardWebAuthn

/// A row with a ceremony that is not answered yet.
///
/// The store does not read the row's payload.
public struct CeremonyRecord: Hashable, Sendable {
    /// The ceremony's ID, random bytes.
    public var id: [UInt8]
    /// The ceremony, as `Ceremony.encoded`.
    public var payload: [UInt8]
    /// Expiry in seconds since 1970.
    ///
    /// The store uses it only to delete old ceremonies; the caller checks it.
    public var expiresAt: Int64

    /// Creates a record.
    public init(id: [UInt8], payload: [UInt8], expiresAt: Int64) {
        self.id = id
        self.payload = payload
        self.expiresAt = expiresAt
    }

    /// Creates the row of a ceremony.
    public init(_ ceremony: Ceremony) {
        self.init(id: ceremony.id.bytes, payload: ceremony.encoded, expiresAt: ceremony.expiresAt)
    }
}
