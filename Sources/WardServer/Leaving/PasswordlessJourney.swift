import WardAccounts
import WardText
import WardWebAuthn

/// How far an account is on its way from a password to passkeys alone.
struct PasswordlessJourney: Hashable, Sendable {
    /// A step of the way.
    ///
    /// The raw value is the word of the API.
    enum Step: String, CaseIterable, Sendable {
        /// A passkey that can sign in.
        case passkey
        /// A way back in when this passkey is lost.
        case wayBack = "way_back"
        /// No password is left.
        case noPassword = "no_password"
    }

    /// The steps that are done.
    let done: Set<Step>

    /// The first step that is not done; `nil` at the end of the way.
    var next: Step? { Step.allCases.first { !done.contains($0) } }

    /// - Parameters:
    ///   - passkeys: The account's passkeys.
    ///   - hasPassword: Whether the account has a password.
    ///   - recoveryCodes: The number of recovery codes that are left.
    ///   - hasAddress: Whether a recovery link can be mailed to the account.
    init(_ passkeys: [Passkey], hasPassword: Bool, recoveryCodes: Int, hasAddress: Bool) {
        var done: Set<Step> = []
        let opening = passkeys.filter(\.canVerify)
        if !opening.isEmpty { done.insert(.passkey) }
        // A passkey whose backup state is on is on other devices too, or comes back from its provider.
        let isBackedUp = opening.contains { $0.record.backedUp }
        if opening.count > 1 || isBackedUp || recoveryCodes > 0 || hasAddress { done.insert(.wayBack) }
        if !hasPassword { done.insert(.noPassword) }
        self.done = done
    }

    var json: JSONValue {
        [
            "done": .array(Step.allCases.filter(done.contains).map { .string($0.rawValue) }),
            "next": next.map { .string($0.rawValue) } ?? .null,
        ]
    }
}

extension Deployment {
    /// How far an account is on its way.
    func passwordlessJourney(of account: AccountID, in tx: Store.Transaction) async throws -> PasswordlessJourney {
        let factors = try await OtherFactors(of: account, in: tx)
        let hasAddress = sendsMail ? try await tx.email(of: account)?.confirmed != nil : false
        return PasswordlessJourney(
            try await tx.passkeys(of: account),
            hasPassword: try await hasPassword(account, in: tx),
            recoveryCodes: factors.recoveryCodes,
            hasAddress: hasAddress
        )
    }
}
