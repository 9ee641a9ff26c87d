public import WardCBOR

/// The options of a request, each of which has a default when it is absent.
///
/// CTAP 2.3, sections 6.1 and 6.2.
public struct CTAPRequestOptions: Hashable, Sendable {
    /// `rk`: whether the credential shall be discoverable; refused in assertions.
    public var residentKey: Bool?
    /// `up`: whether somebody must be there; absent means true.
    public var userPresence: Bool?
    /// `uv`: whether the person shall be verified by the authenticator's own means; absent means false.
    public var userVerification: Bool?
    /// Options that are not named here; authenticators treat them as absent.
    public var unknown: [CBORPair]

    /// Takes what differs from the defaults.
    public init(residentKey: Bool? = nil, userPresence: Bool? = nil, userVerification: Bool? = nil) {
        self.residentKey = residentKey
        self.userPresence = userPresence
        self.userVerification = userVerification
        unknown = []
    }

    init(_ value: CBORValue) throws(CTAPStatus) {
        var reader = try MessageReader(value)
        residentKey = try reader.value("rk") { value throws(CTAPStatus) in try value.asBool() }
        userPresence = try reader.value("up") { value throws(CTAPStatus) in try value.asBool() }
        userVerification = try reader.value("uv") { value throws(CTAPStatus) in try value.asBool() }
        unknown = reader.rest
    }

    /// The map, or `nil` when it is empty.
    var value: CBORValue? {
        guard self != CTAPRequestOptions() else { return nil }
        var writer = MessageWriter(unknown)
        writer.put("rk", residentKey.map { .bool($0) })
        writer.put("up", userPresence.map { .bool($0) })
        writer.put("uv", userVerification.map { .bool($0) })
        return writer.value
    }
}
