import WardAccounts

/// How long sessions last, in whole seconds.
package struct SessionLimits: Sendable {
    /// A sign-in that a sensitive change accepts is no older than this.
    package static let recentSignIn: Int64 = 300
    /// Without a request.
    package let idle: Int64
    /// At most.
    package let absolute: Int64

    /// - Parameters:
    ///   - idle: At least a second.
    ///   - absolute: At least as long, and at most the 400 days a browser keeps a cookie.
    /// - Throws: ``ServerConfigurationError`` with the rule that is broken.
    package init(idle: Duration, absolute: Duration) throws(ServerConfigurationError) {
        let (idle, absolute) = (idle.components.seconds, absolute.components.seconds)
        guard idle >= 1 else {
            throw ServerConfigurationError("a session has to last at least a second without a request")
        }
        guard absolute >= idle else {
            throw ServerConfigurationError(
                "a session cannot last longer without a request (\(idle) s) than it lasts at most (\(absolute) s)"
            )
        }
        guard absolute <= 400 * 86_400 else {
            throw ServerConfigurationError("a session can last 400 days at most: browsers keep no cookie longer")
        }
        self.idle = idle
        self.absolute = absolute
    }

    /// A session's last use is written down at most this often, so that reading pages costs no writes: once a minute, or
    /// often enough for short sessions.
    var touchInterval: Int64 { min(60, idle / 4) }

    /// When a session ends that is used now, or earlier if it was begun long ago.
    func idleExpiry(at now: Int64) -> Int64 { now + idle }

    /// Whether a change that needs a recent sign-in may go through.
    static func isRecent(_ session: Session, at now: Int64) -> Bool {
        now - session.authenticatedAt <= recentSignIn
    }
}

extension Duration {
    /// Reads a whole number with a unit: `90s`, `30m`, `12h`, `14d`.
    ///
    /// - Parameter text: What somebody wrote.
    /// - Throws: ``ServerConfigurationError`` saying what is expected.
    public init(settingText text: String) throws(ServerConfigurationError) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = text.last, let unit = units[last], let count = UInt32(text.dropLast()),
            text.first?.isNumber == true
        else {
            throw ServerConfigurationError(
                "a duration is a number with s, m, h or d, such as 12h or 14d, not \"\(text)\""
            )
        }
        self = .seconds(Int64(count) * unit)
    }
}
