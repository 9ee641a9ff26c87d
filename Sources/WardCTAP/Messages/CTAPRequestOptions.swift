public import WardCBOR

/// The options of a request.
///
/// Each option has a default.
///
/// CTAP 2.3, sections 6.1 and 6.2.
public struct CTAPRequestOptions: Hashable, Sendable {
    /// `rk`: whether the credential should be discoverable.
    ///
    /// Requests for assertions must not have this option.
    public var residentKey: Bool?
    /// `up`: whether user presence is required; default true.
    public var userPresence: Bool?
    /// `uv`: whether built-in user verification is wanted; default false.
    public var userVerification: Bool?
    /// Unknown options; authenticators ignore them.
    public var unknown: [CBORPair]

    /// Creates options that differ from the defaults.
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

    /// The map, or `nil` if it is empty.
    var value: CBORValue? {
        guard self != CTAPRequestOptions() else { return nil }
        var writer = MessageWriter(unknown)
        writer.put("rk", residentKey.map { .bool($0) })
        writer.put("up", userPresence.map { .bool($0) })
        writer.put("uv", userVerification.map { .bool($0) })
        return writer.value
    }
}
