import WardAccounts
import WardWebAuthn

/// The codes of devices without a browser, for clients of OpenID Connect and for the sync server: RFC 8628.
struct DeviceCodes: Sendable {
    /// The client of devices that bring a vault to the sync server of the service: see ``SyncSignIn``.
    static let syncClient = "ward-sync"
    /// The page where people type the code: short, because they type this as well.
    static let page = "/device"
    /// How long both codes can be used, in seconds.
    static let lifetime: Int64 = 600
    /// The shortest time between two polls at the beginning, in seconds.
    static let interval: Int64 = 5
    /// How much longer a device must wait after each poll that came too early, in seconds.
    private static let slowDown: Int64 = 5
    /// How many codes are drawn: one in use is passed over.
    private static let draws = 4

    /// The code that only the device knows.
    let device: SessionToken
    private let drawn: [UserCode]
    private let limits: Limits

    /// Draws the codes of one device.
    init(_ effects: Effects, _ limits: Limits) {
        device = SessionToken.random(using: effects.randomBytes)
        drawn = (0..<Self.draws).map { _ in UserCode(using: effects.randomBytes) }
        self.limits = limits
    }

    /// Stores the wish of the device, which is counted.
    ///
    /// - Parameters:
    ///   - client: The client's ID.
    ///   - scopes: What the client asks for.
    ///   - address: The address of the device, if the service knows it.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction, which must be committed also after a refusal.
    /// - Returns: The code that the person types, or the refusal.
    /// - Throws: The store's errors.
    func begin(
        _ client: String,
        _ scopes: [String],
        from address: [UInt8]?,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Result<UserCode, APIError> {
        var counters = [Counter(.devices, of: Array(client.utf8), limits.devicesOfClient)]
        if let address { counters.append(Counter(.devices, of: address, limits.devices)) }
        for counter in counters {
            if let wait = try await counter.wait(at: now, in: tx) {
                return .failure(APIError(limited: .devices, wait))
            }
        }
        for counter in counters { try await counter.add(at: now, in: tx) }
        for code in drawn where try await tx.deviceAuthorization(userHash: code.hash) == nil {
            try await tx.insert(
                DeviceAuthorization(
                    deviceHash: device.hash,
                    userHash: code.hash,
                    clientID: client,
                    scopes: scopes,
                    createdAt: now,
                    expiresAt: now + Self.lifetime,
                    interval: Self.interval
                )
            )
            return .success(code)
        }
        return .failure(APIError(.unavailable, "No code is free. Try again."))
    }

    /// What a device learns that asks whether the person has answered.
    enum Poll: Sendable {
        /// The code was used, never existed, or is of another client.
        case unknown
        case expired
        /// The shortest time between two polls from now on, in seconds.
        case tooEarly(interval: Int64)
        case pending(interval: Int64)
        case refused
        /// The person agreed in this session. The code is used up.
        case allowed(DeviceAuthorization, SessionID)
    }

    /// Asks whether the person has answered, and uses the device code up if the person agreed.
    ///
    /// - Parameters:
    ///   - deviceHash: The hash of the device code.
    ///   - client: The client's ID.
    ///   - now: Seconds since 1970.
    ///   - tx: The transaction, which must be committed: polls that come too early are counted.
    /// - Returns: The answer.
    /// - Throws: The store's errors.
    static func poll(
        _ deviceHash: [UInt8],
        of client: String,
        at now: Int64,
        in tx: some AccountTransaction
    ) async throws -> Poll {
        guard var device = try await tx.deviceAuthorization(deviceHash: deviceHash), device.clientID == client else {
            return .unknown
        }
        guard !device.isExpired(at: now) else { return .expired }
        // A poll in the future does not count: the clock was wrong then, or is wrong now.
        let isTooEarly = device.polledAt.map { (0..<device.interval).contains(now - $0) } ?? false
        if isTooEarly { device.interval += slowDown }
        device.polledAt = now
        try await tx.update(device)
        guard !isTooEarly else { return .tooEarly(interval: device.interval) }
        switch device.answer {
        case .pending: return .pending(interval: device.interval)
        case .refused: return .refused
        case .allowed(let session):
            try await tx.deleteDeviceAuthorization(deviceHash: deviceHash)
            return .allowed(device, session)
        }
    }
}
