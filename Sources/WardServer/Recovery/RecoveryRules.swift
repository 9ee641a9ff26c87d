package import WardAccounts

/// A proof beside the link of a recovery.
///
/// The raw value is stored, and is the `method` of the API.
package enum RecoveryProof: String, CaseIterable, Hashable, Sendable {
    /// One of the account's recovery codes.
    case recoveryCode = "recovery_code"
    /// A code of the account's authenticator app.
    case authenticatorApp = "authenticator_app"
    /// The account's password.
    case password
}

/// What an account has, as far as it decides how its owner gets back in.
package struct RecoveryTerms: Hashable, Sendable {
    /// Whether the account has a passkey that its owner certainly has.
    package var hasPasskey: Bool
    /// What can be proven beside the link.
    package var proofs: Set<RecoveryProof>
    /// What the account's helpers do for the link.
    package var help: Help

    /// What the helpers of an account do for a link.
    package enum Help: Hashable, Sendable {
        /// Nobody can help with it.
        case none
        /// They can be asked.
        case available
        /// They were asked, and can approve until this time.
        case asked(until: Int64)
        /// One of them approved.
        case approved
    }

    package init(hasPasskey: Bool, proofs: Set<RecoveryProof>, help: Help = .none) {
        self.hasPasskey = hasPasskey
        self.proofs = proofs
        self.help = help
    }
}

/// Whether a recovery link adds a passkey, or what is missing: a value without a store or a clock of its own.
///
/// No way is weaker than the strongest factor that it replaces. A mailbox alone is one factor, so it replaces a password that was
/// all the account had. Two different proofs replace two factors. A passkey cannot be phished and a password or a code of an app can:
/// beside a link they replace a passkey only after a wait, in which the owner is told and can stop it.
///
/// The approval of a helper is a second proof beside a mailed link, like a recovery code: the helper proved with a passkey who they are,
/// the owner chose the helper a week before or earlier, and was told before the approval. Beside another link it counts for nothing, so
/// a helper opens nothing without the mailbox.
package enum RecoveryVerdict: Hashable, Sendable {
    /// The link adds a passkey now.
    case open
    /// One of these must be proven, or a wait must be asked for.
    case ask(Set<RecoveryProof>)
    /// The wait was asked for and has not begun: the notice has not left.
    case notice
    /// The wait ends at this time.
    case wait(until: Int64)

    /// Decides.
    ///
    /// - Parameters:
    ///   - link: The link, which has not expired.
    ///   - terms: What the account has now.
    ///   - now: Seconds since 1970.
    package init(_ link: RecoveryLink, _ terms: RecoveryTerms, at now: Int64) {
        if case .until(let end) = link.wait, end <= now {
            self = .open
            return
        }
        // What was proven counts only while the account still has it, except for a recovery code, which is used up.
        let proven = Set(link.proofs.compactMap(RecoveryProof.init(rawValue:)))
        let strong: Set<RecoveryProof> = [.recoveryCode]
        let enough: Set<RecoveryProof>
        switch link.source {
        case .operator:
            if !link.needsProof {
                self = .open
                return
            }
            // The people who run the service know the person, and one proof shows that the link reached the right one.
            enough = Set(RecoveryProof.allCases)
        case .mail:
            if !terms.hasPasskey, terms.proofs.isSubset(of: [.password]) {
                self = .open
                return
            }
            if terms.help == .approved {
                self = .open
                return
            }
            enough = terms.hasPasskey ? strong : Set(RecoveryProof.allCases)
        // The person proved the password.
        case .session: enough = strong
        }
        guard proven.isDisjoint(with: enough) else {
            self = .open
            return
        }
        switch link.wait {
        case .until(let end): self = .wait(until: end)
        case .afterNotice: self = .notice
        case .none: self = .ask(enough.intersection(terms.proofs))
        }
    }
}
