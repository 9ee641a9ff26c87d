package import WardAccounts

/// How far a helper of an account is.
package enum HelperState: Hashable, Sendable {
    /// The other person has not answered, or there is no account with the name.
    case asked
    /// The other person accepted, and counts from this time on.
    case accepted(countsAt: Int64)
    /// The helper can approve a recovery.
    case active
    /// The helper's account was deleted.
    case ended
}

/// The numbers of helpers, and what follows from their records alone.
package enum HelperRules {
    /// The largest number of helpers of an account.
    package static let most = 3
    /// How long a new helper counts for nothing, in seconds: a week.
    ///
    /// In this time the owner is told, and can remove a helper whom a thief named.
    package static let delay: Int64 = 7 * 86_400
    /// How long a code works, in seconds: half an hour.
    package static let codeLifetime: Int64 = 1_800
    /// The number of wrong codes after which a request for help is dead.
    package static let mostWrongCodes: Int64 = 5
    /// The largest number of accounts that the list of a helper shows.
    static let mostShown = 50
}

extension RecoveryHelper {
    /// How far the helper is.
    package func state(at now: Int64) -> HelperState {
        guard let acceptedAt else { return .asked }
        guard helperID != nil else { return .ended }
        let (countsAt, isLate) = acceptedAt.addingReportingOverflow(HelperRules.delay)
        return isLate || now < countsAt ? .accepted(countsAt: countsAt) : .active
    }

    /// Whether the record takes the place of another wish for the same name.
    func isSameWish(as name: Username, at now: Int64) -> Bool {
        state(at: now) != .ended && (try? Username(self.name))?.mapped == name.mapped
    }
}

extension HelpRequest {
    /// Whether a helper can approve it now, apart from the link that it belongs to.
    ///
    /// The notice to the owner must have left, so that nobody is faster than it.
    package func isOpen(at now: Int64) -> Bool {
        approvedBy == nil && toldAt != nil && wrongCodes < HelperRules.mostWrongCodes && !isExpired(at: now)
    }
}
