package import WardVault

/// The problems of an item that the person decided to ignore.
///
/// The decision is part of the item, so it is on all devices. Each kind has its own entry in ``Item/extensions``, so two
/// devices that ignore different kinds do not conflict. The value is the time of the decision, in decimal digits.
extension Item {
    private static let prefix = "ward.audit.ignored."

    /// The time when a kind of problem was ignored, in seconds since 1970.
    package func ignored(_ kind: AuditFinding.Kind) -> Int64? {
        guard let value = extensions[Self.prefix + kind.rawValue] else { return nil }
        // An unreadable time is from a later version. The decision still holds.
        return Int64(String(decoding: value.prefix(20), as: UTF8.self)) ?? .max
    }

    /// Whether a kind of problem is ignored.
    ///
    /// A problem of the password is ignored until the password changes.
    package func ignores(_ kind: AuditFinding.Kind) -> Bool {
        guard let time = ignored(kind) else { return false }
        guard kind.isAboutPassword, let password else { return true }
        return password.changedAt <= time
    }

    /// Ignores a kind of problem, or shows it again.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - time: Now, in seconds since 1970; `nil` shows the problem again.
    package mutating func ignore(_ kind: AuditFinding.Kind, at time: Int64?) {
        extensions[Self.prefix + kind.rawValue] = time.map { Array(String($0).utf8) }
    }
}
