/// A key that signs ID tokens.
///
/// Times are seconds since 1970.
public struct IDTokenKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The `kid` in tokens and in the key set.
    public var id: String
    /// What it signs with.
    public var algorithm: IDTokenAlgorithm
    /// The private key: 32 bytes on P-256, or an RSA key in DER.
    public var privateKey: [UInt8]
    /// From when on it signs.
    ///
    /// The key set has it before, so that clients know it in time.
    public var activeFrom: Int64
    /// When it leaves the key set; `nil` while no later key replaces it.
    public var expiresAt: Int64?

    /// Creates a record.
    public init(
        id: String,
        algorithm: IDTokenAlgorithm = .es256,
        privateKey: [UInt8],
        activeFrom: Int64,
        expiresAt: Int64? = nil
    ) {
        self.id = id
        self.algorithm = algorithm
        self.privateKey = privateKey
        self.activeFrom = activeFrom
        self.expiresAt = expiresAt
    }

    /// The key's ID, without the key.
    public var description: String { "IDTokenKey(\(id))" }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
