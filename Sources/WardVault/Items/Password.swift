/// A password and those it replaced.
public struct Password: Hashable, Sendable {
    /// A password that was replaced.
    public struct Previous: Hashable, Sendable {
        /// The password.
        public let value: SecretText
        /// When it was replaced, in seconds since 1970.
        public let replacedAt: Int64
        var unknown = UnknownFields()

        /// Joins a password and the time it was replaced.
        public init(value: SecretText, replacedAt: Int64) {
            self.value = value
            self.replacedAt = replacedAt
        }
    }

    /// The password of today.
    public private(set) var value: SecretText
    /// When it was set, in seconds since 1970.
    public private(set) var changedAt: Int64
    /// What it was before, latest first, at most ``maximumHistory``.
    public private(set) var history: [Previous]
    var unknown = UnknownFields()

    /// How many replaced passwords are kept.
    public static let maximumHistory = 50

    /// Takes a password.
    ///
    /// - Parameters:
    ///   - value: The password of today.
    ///   - changedAt: When it was set, in seconds since 1970.
    ///   - history: What it was before, latest first; what is beyond ``maximumHistory`` is dropped.
    public init(_ value: SecretText, changedAt: Int64, history: [Previous] = []) {
        self.value = value
        self.changedAt = changedAt
        self.history = Array(history.prefix(Self.maximumHistory))
    }

    /// Sets another password and remembers this one; the same password again changes nothing.
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
