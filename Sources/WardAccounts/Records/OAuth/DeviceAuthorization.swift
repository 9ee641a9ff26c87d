/// The wish of a device that has no browser: a person allows it on another one (RFC 8628).
///
/// It ends with its client, and with the session of the person who allowed it. Times are seconds since 1970.
public struct DeviceAuthorization: Hashable, Sendable {
    /// What the person answered.
    public enum Answer: Hashable, Sendable {
        /// Nobody has answered yet.
        case pending
        /// A person allowed it, in this session.
        case allowed(SessionID)
        /// A person refused it.
        case refused
    }

    /// ``SessionToken/hash`` of the device code, which only the device knows.
    public var deviceHash: [UInt8]
    /// The hash of the user code, which the person types.
    public var userHash: [UInt8]
    /// The client.
    public var clientID: String
    /// The scopes, in the order of the request.
    public var scopes: [String]
    /// When the device asked.
    public var createdAt: Int64
    /// When both codes end.
    public var expiresAt: Int64
    /// The shortest time between two polls of the device, in seconds.
    public var interval: Int64
    /// When the device polled last, `nil` until then.
    public var polledAt: Int64?
    /// What the person answered.
    public var answer: Answer

    /// Creates a record.
    public init(
        deviceHash: [UInt8],
        userHash: [UInt8],
        clientID: String,
        scopes: [String],
        createdAt: Int64,
        expiresAt: Int64,
        interval: Int64,
        polledAt: Int64? = nil,
        answer: Answer = .pending
    ) {
        self.deviceHash = deviceHash
        self.userHash = userHash
        self.clientID = clientID
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.interval = interval
        self.polledAt = polledAt
        self.answer = answer
    }

    /// Whether the codes have expired: at the exact second of ``expiresAt``, or because they seem to be from the future.
    public func isExpired(at now: Int64) -> Bool { !(createdAt..<max(createdAt, expiresAt)).contains(now) }
}
