package import WardAccounts
package import WardWebAuthn

/// The rules of a service about sign-ins.
package struct SignInPolicy: Hashable, Sendable {
    /// The rules.
    package let rules: [PolicyRule]

    package init(_ rules: [PolicyRule] = []) { self.rules = rules }

    /// Whether a rule counts only passkeys whose model was proven.
    package var asksForAttestation: Bool { rules.contains { $0.passkeys?.asksForAttestation == true } }

    /// What an account needs now: the strictest of all rules about it.
    ///
    /// - Parameters:
    ///   - groups: The account's groups.
    ///   - now: Seconds since 1970.
    /// - Returns: What the account needs.
    package func requirements(in groups: [GroupName], at now: Int64) -> SignInRequirements {
        var all = SignInRequirements()
        for rule in rules where rule.matches(groups) {
            if let from = rule.from, from > now {
                guard now >= from - rule.warning, rule.passkeys != nil || rule.needsTwoFactors else { continue }
                all.announced.append(rule)
                continue
            }
            all.needsTwoFactors = all.needsTwoFactors || rule.needsTwoFactors || rule.passkeys != nil
            if let age = rule.sessionAge { all.sessionAge = min(all.sessionAge ?? age, age) }
            guard rule.needsTwoFactors || rule.passkeys != nil else { continue }
            if let passkeys = rule.passkeys { all.passkeys = all.passkeys?.and(passkeys) ?? passkeys }
            if let from = rule.from { all.graceEnd = min(all.graceEnd ?? .max, from + rule.grace) }
        }
        return all
    }
}

/// What an account needs to sign in.
package struct SignInRequirements: Hashable, Sendable {
    /// Whether each sign-in needs two factors.
    package var needsTwoFactors = false
    /// The passkeys that count, if each sign-in needs one.
    package var passkeys: PasskeyEvidence?
    /// Until when an account that lacks these may add a passkey while it signs in, in seconds since 1970.
    package var graceEnd: Int64?
    /// How long a new session lasts at most, in seconds.
    package var sessionAge: Int64?
    /// Rules that hold soon.
    package var announced: [PolicyRule] = []

    /// Whether an account that cannot prove enough may add a passkey while it signs in.
    package func mayEnrol(at now: Int64) -> Bool { graceEnd.map { now < $0 } ?? true }

    /// Whether a rule in force, or one that holds soon, counts only passkeys whose model was proven.
    package var asksForAttestation: Bool {
        passkeys?.asksForAttestation == true || announced.contains { $0.passkeys?.asksForAttestation == true }
    }

    /// Whether a passkey counts.
    package func accepts(_ record: CredentialRecord, of model: VerifiedModel?, _ known: KnownModels) -> Bool {
        passkeys?.accepts(record, of: model, known) ?? true
    }
}
