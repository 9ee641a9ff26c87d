/// Lifetimes of sessions, in whole seconds.
package struct SessionLimits: Sendable {
    /// The maximum age of a sign-in for a sensitive change.
    package static let recentSignIn: Int64 = 300
    /// The maximum number of sessions of an account.
    ///
    /// A new session ends the oldest one.
    package static let perAccount = 100
    /// The lifetime without a request.
    package let idle: Int64
    /// The maximum lifetime.
    package let absolute: Int64

    /// - Parameters:
    ///   - idle: At least one second.
    ///   - absolute: At least `idle`, and at most 400 days, the longest time that browsers keep a cookie.
    /// - Throws: ``ServerConfigurationError`` with the violated rule.
    package init(idle: Duration, absolute: Duration) throws(ServerConfigurationError) {
        let (idle, absolute) = (idle.components.seconds, absolute.components.seconds)
        guard idle >= 1 else {
            throw ServerConfigurationError("the session lifetime without a request must be at least one second")
        }
        guard absolute >= idle else {
            throw ServerConfigurationError(
                "the session lifetime without a request (\(idle) s) is longer than the maximum lifetime (\(absolute) s)"
            )
        }
        guard absolute <= 400 * 86_400 else {
            throw ServerConfigurationError(
                "a session can last at most 400 days, because browsers do not keep cookies longer"
            )
        }
        self.idle = idle
        self.absolute = absolute
    }

    /// The minimum time between two writes of a session's last use: one minute, or less for short sessions.
    ///
    /// Without this limit, every page view would cost a write.
    var touchInterval: Int64 { min(60, idle / 4) }

    /// The new expiry of a session that is used now, if it is not used again.
    ///
    /// The maximum lifetime can end the session earlier.
    func idleExpiry(at now: Int64) -> Int64 { now + idle }

    /// Whether a sign-in at this time is recent enough for a sensitive change.
    ///
    /// A time in the future does not count: the clock was wrong then, or is wrong now.
    static func isRecent(_ signIn: Int64, at now: Int64) -> Bool {
        (now - recentSignIn...now).contains(signIn)
    }
}

extension Duration {
    /// Reads a whole number with a unit: `90s`, `30m`, `12h`, `14d`.
    ///
    /// - Parameter text: The setting's text.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    public init(settingText text: String) throws(ServerConfigurationError) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = text.last, let unit = units[last], let count = UInt32(text.dropLast()),
            text.first?.isNumber == true
        else {
            throw ServerConfigurationError(
                "a duration must be a number with s, m, h or d, such as 12h or 14d, not \"\(text)\""
            )
        }
        self = .seconds(Int64(count) * unit)
    }
}
