/// A key that signs ID tokens with ES256.
///
/// Times are seconds since 1970.
public struct IDTokenKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The `kid` in tokens and in the key set.
    public var id: String
    /// The private key on P-256: 32 bytes.
    public var privateKey: [UInt8]
    /// From when on it signs.
    ///
    /// The key set has it before, so that clients know it in time.
    public var activeFrom: Int64
    /// When it leaves the key set; `nil` while no later key replaces it.
    public var expiresAt: Int64?

    /// Creates a record.
    public init(id: String, privateKey: [UInt8], activeFrom: Int64, expiresAt: Int64? = nil) {
        self.id = id
        self.privateKey = privateKey
        self.activeFrom = activeFrom
        self.expiresAt = expiresAt
    }

    /// The key's ID, without the key.
    public var description: String { "IDTokenKey(\(id))" }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
