public import WardWebAuthn

/// A ceremony that was begun and not yet answered, as a row: the store keeps it without looking inside.
public struct CeremonyRecord: Hashable, Sendable {
    /// What the answer names it by; random.
    public var id: [UInt8]
    /// The ceremony, as `Ceremony.encoded`.
    public var payload: [UInt8]
    /// Seconds since 1970; checked by the taker, used here only for sweeping.
    public var expiresAt: Int64

    /// Puts a record together.
    public init(id: [UInt8], payload: [UInt8], expiresAt: Int64) {
        self.id = id
        self.payload = payload
        self.expiresAt = expiresAt
    }

    /// The row of a ceremony.
    public init(_ ceremony: Ceremony) {
        self.init(id: ceremony.id.bytes, payload: ceremony.encoded, expiresAt: ceremony.expiresAt)
    }
}
