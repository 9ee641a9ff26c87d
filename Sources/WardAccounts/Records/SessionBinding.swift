/// The key of the browser's device to which a session is bound.
///
/// The private key never leaves the device. The session's cookie alone then opens nothing: the browser proves every few minutes that
/// it has the key. See [Device Bound Session Credentials](https://w3c.github.io/webappsec-dbsc/).
///
/// Times are seconds since 1970.
public struct SessionBinding: Hashable, Sendable {
    /// The public key, as a COSE key (RFC 9052, section 7).
    public var publicKey: [UInt8]
    /// The time when the browser registered the key.
    public var boundAt: Int64
    /// The number of proofs that were accepted.
    ///
    /// A challenge is for one number, so each challenge is answered at most once.
    public var proofs: Int64

    /// Creates a record.
    public init(publicKey: [UInt8], boundAt: Int64, proofs: Int64 = 0) {
        self.publicKey = publicKey
        self.boundAt = boundAt
        self.proofs = proofs
    }
}
