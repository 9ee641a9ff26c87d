import WardAccounts

/// What an account can sign in with, as far as the service's rules ask for it.
struct AccountMeans: Sendable {
    private let passkeys: [Passkey]
    private let hasTwoFactors: Bool
    private let known: KnownModels

    /// - Parameters:
    ///   - passkeys: The account's passkeys.
    ///   - factors: What it has beside them.
    ///   - known: What is known of the passkeys' models now.
    ///   - hasFirstStep: Whether the account has a password or a linked account, which a second step can follow.
    init(_ passkeys: [Passkey], _ factors: OtherFactors, _ known: KnownModels, hasFirstStep: Bool) {
        self.passkeys = passkeys
        self.known = known
        hasTwoFactors = passkeys.contains(where: \.canVerify) || (hasFirstStep && factors.hasSecondStep)
    }

    /// Whether the account has what a rule asks for: a passkey that counts, or else two factors.
    func meet(_ evidence: PasskeyEvidence?, twoFactors: Bool) -> Bool {
        evidence.map { evidence in passkeys.contains { evidence.accepts($0, known) } } ?? (!twoFactors || hasTwoFactors)
    }

    func meet(_ requirements: SignInRequirements) -> Bool {
        meet(requirements.passkeys, twoFactors: requirements.needsTwoFactors)
    }

    func meet(_ rule: PolicyRule) -> Bool { meet(rule.passkeys, twoFactors: rule.needsTwoFactors) }
}
