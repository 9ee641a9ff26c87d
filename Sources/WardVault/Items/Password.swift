/// A password and the earlier passwords.
public struct Password: Hashable, Sendable {
    /// An earlier password.
    public struct Previous: Hashable, Sendable {
        /// The password.
        public let value: SecretText
        /// When this password was replaced, in seconds since 1970.
        public let replacedAt: Int64
        var unknown = UnknownFields()

        /// Creates an earlier password.
        public init(value: SecretText, replacedAt: Int64) {
            self.value = value
            self.replacedAt = replacedAt
        }
    }

    /// The current password.
    public private(set) var value: SecretText
    /// The time when the password was set, in seconds since 1970.
    public private(set) var changedAt: Int64
    /// The earlier passwords, latest first, at most ``maximumHistory``.
    public private(set) var history: [Previous]
    var unknown = UnknownFields()

    /// The maximum number of earlier passwords.
    public static let maximumHistory = 50

    /// Creates a password.
    ///
    /// - Parameters:
    ///   - value: The current password.
    ///   - changedAt: When it was set, in seconds since 1970.
    ///   - history: The earlier passwords, latest first; those beyond ``maximumHistory`` are dropped.
    public init(_ value: SecretText, changedAt: Int64, history: [Previous] = []) {
        self.value = value
        self.changedAt = changedAt
        self.history = Array(history.prefix(Self.maximumHistory))
    }

    /// Sets a new password and moves the current one to the history.
    ///
    /// If the password is the same, nothing changes.
    ///
    /// - Parameters:
    ///   - value: The new password.
    ///   - time: Now, in seconds since 1970.
    public mutating func change(to value: SecretText, at time: Int64) {
        guard value != self.value else { return }
        if !self.value.isEmpty {
            history.insert(Previous(value: self.value, replacedAt: time), at: 0)
            history = Array(history.prefix(Self.maximumHistory))
        }
        self.value = value
        changedAt = time
    }
}
