/// How often something happened on one day on the way from passwords to passkeys.
///
/// It names no account.
public struct UpgradeCount: Hashable, Sendable {
    /// What happened.
    ///
    /// Later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The stored word.
        public let rawValue: String
        /// Creates a kind from a stored word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// After a sign-in with a password, a page asked the browser for a passkey without a prompt.
        public static let asked = Self(rawValue: "asked")
        /// The browser made a passkey without a prompt.
        public static let upgraded = Self(rawValue: "upgraded")
        /// A page offered to make a passkey.
        public static let upsold = Self(rawValue: "upsold")
        /// A person put the offer away.
        public static let dismissed = Self(rawValue: "dismissed")

        /// All kinds that this version counts.
        public static let known: [Self] = [.asked, .upgraded, .upsold, .dismissed]
    }

    /// The length of a day, in seconds.
    public static let secondsPerDay: Int64 = 86_400

    /// The day in UTC: the number of days since 1970-01-01.
    public var day: Int64
    /// What happened.
    public var kind: Kind
    /// How often it happened.
    public var count: Int64

    /// Creates a count.
    public init(day: Int64, kind: Kind, count: Int64) {
        self.day = day
        self.kind = kind
        self.count = count
    }

    /// The day of a time in seconds since 1970, in UTC.
    public static func day(of time: Int64) -> Int64 {
        let (days, rest) = time.quotientAndRemainder(dividingBy: secondsPerDay)
        return rest < 0 ? days - 1 : days
    }
}
