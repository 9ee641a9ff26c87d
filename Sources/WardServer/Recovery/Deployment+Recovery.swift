import WardAccounts
import WardText
import WardWebAuthn

/// A recovery link that still works, with what it depends on now.
struct LiveRecovery: Sendable {
    var link: RecoveryLink
    let account: Account
    let terms: RecoveryTerms

    /// Whether the link adds a passkey, or what is missing.
    func verdict(at now: Int64) -> RecoveryVerdict { RecoveryVerdict(link, terms, at: now) }
}

extension Deployment {
    /// A recovery link that has not expired.
    ///
    /// - Throws: ``APIError`` with `recovery_link_not_valid` or `account_disabled`.
    func liveRecovery(_ tokenHash: [UInt8], at now: Int64, in tx: Store.Transaction) async throws -> LiveRecovery {
        guard let link = try await tx.recoveryLink(tokenHash: tokenHash), !link.isExpired(at: now),
            let account = try await tx.account(id: link.accountID)
        else { throw APIError.recoveryLinkNotValid }
        try account.checkEnabled()
        var terms = try await recoveryTerms(of: account.id, in: tx)
        terms.help = try await help(for: link, at: now, in: tx)
        return LiveRecovery(link: link, account: account, terms: terms)
    }

    /// A recovery link that adds a passkey now.
    ///
    /// - Throws: ``APIError`` as ``liveRecovery(_:at:in:)``, or with `recovery_not_open`.
    func openRecovery(_ tokenHash: [UInt8], at now: Int64, in tx: Store.Transaction) async throws -> RecoveryLink {
        let recovery = try await liveRecovery(tokenHash, at: now, in: tx)
        guard recovery.verdict(at: now) == .open else {
            throw APIError(
                .recoveryNotOpen,
                "This link needs another proof, or a wait, before it adds a passkey. Open its page to see which."
            )
        }
        return recovery.link
    }

    func recoveryTerms(of account: AccountID, in tx: Store.Transaction) async throws -> RecoveryTerms {
        let factors = try await OtherFactors(of: account, in: tx)
        var proofs: Set<RecoveryProof> = []
        if factors.recoveryCodes > 0 { proofs.insert(.recoveryCode) }
        if factors.hasApp { proofs.insert(.authenticatorApp) }
        if try await hasPassword(account, in: tx) { proofs.insert(.password) }
        return RecoveryTerms(hasPasskey: try await tx.hasProvenPasskey(account), proofs: proofs)
    }

    /// Asks for a wait: the account's owner is told, and the wait begins when the notice has left.
    ///
    /// An account without an address has nobody to write to, so its wait begins now. Its sessions show it.
    func beginWait(of recovery: LiveRecovery, at now: Int64, in tx: Store.Transaction) async throws -> RecoveryLink {
        var link = recovery.link
        let isTold = sendsMail ? try await tx.email(of: link.accountID)?.confirmed : nil
        link.wait = isTold == nil ? .until(now + recoveryWait) : .afterNotice
        link.expiresAt = now + recoveryWait + RecoveryLink.lifetimeAfterWait
        try await tx.setRecoveryLink(link)
        if let isTold, let language = try await tx.email(of: link.accountID)?.language {
            // This notice has no limit of its own: without it the wait never begins.
            try await post(
                .recoveryWaiting,
                recovery.account,
                to: .email(isTold.address),
                in: language,
                at: now,
                in: tx
            )
        }
        // The thief of the mailbox may read the notice first, so the telephone gets one too.
        if let number = try await textNumber(of: link.accountID, in: tx) {
            let language = try await tx.email(of: link.accountID)?.language ?? PageLanguage.english.rawValue
            try await post(.recoveryWaiting, recovery.account, to: .phone(number), in: language, at: now, in: tx)
        }
        return link
    }

    /// Stops every recovery of an account that a mailed link or a session began.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func stopRecoveries(of account: AccountID, at now: Int64, in tx: Store.Transaction) async throws -> Bool {
        var stopped = false
        for source in [RecoveryLink.Source.mail, .session] {
            stopped = try await tx.deleteRecoveryLink(of: account, from: source) || stopped
        }
        // An operator's link that waits can be stopped too: its owner did not ask for it.
        for link in try await tx.recoveryLinks(of: account) where link.wait != .none {
            stopped = try await tx.deleteRecoveryLink(of: account, from: link.source) || stopped
        }
        try await tx.deleteHelpRequest(of: account)
        guard stopped else { return false }
        try await Counter(.stoppedRecoveries, of: account.bytes, tryLimits.stoppedRecoveries).add(at: now, in: tx)
        return true
    }
}

extension JSONValue {
    /// A recovery as the holder of its link sees it.
    init(_ recovery: LiveRecovery, at now: Int64) {
        self.init(recovery.link, recovery.terms, at: now)
    }

    /// A recovery as the holder of its link sees it.
    init(_ link: RecoveryLink, _ terms: RecoveryTerms, at now: Int64) {
        let verdict = RecoveryVerdict(link, terms, at: now)
        var next: [RecoveryProof] = []
        var opensAt: Int64?
        switch verdict {
        case .open, .notice: break
        case .ask(let proofs): next = RecoveryProof.allCases.filter(proofs.contains)
        case .wait(let end): opensAt = end
        }
        self = [
            "state": .string(verdict.word), "source": .string(link.source.rawValue),
            "next": .array(next.map { ["method": .string($0.rawValue)] }),
            "helpers": terms.help.json,
            "opensAt": opensAt.map { .string(JSONTime.text($0)) } ?? .null,
            "expiresAt": .string(JSONTime.text(link.expiresAt)),
        ]
    }

    /// The recoveries of an account that its owner may want to stop.
    ///
    /// - Parameters:
    ///   - links: The account's links.
    ///   - asking: The hash of the link whose holder asked the helpers, if somebody did.
    ///   - now: Seconds since 1970.
    init(waiting links: [RecoveryLink], asking: [UInt8]?, at now: Int64) {
        self = .array(
            links.filter { !$0.isExpired(at: now) && ($0.wait != .none || $0.tokenHash == asking) }.map { link in
                var opensAt: Int64?
                if case .until(let end) = link.wait { opensAt = end }
                return [
                    "source": .string(link.source.rawValue), "requestedAt": .string(JSONTime.text(link.createdAt)),
                    "opensAt": opensAt.map { .string(JSONTime.text($0)) } ?? .null,
                    "asksHelpers": .bool(link.tokenHash == asking),
                ]
            }
        )
    }
}

extension RecoveryTerms.Help {
    /// What the holder of the link sees; `null` if nobody can help.
    fileprivate var json: JSONValue {
        switch self {
        case .none: .null
        case .available: ["state": "available", "expiresAt": .null]
        case .asked(let end): ["state": "asked", "expiresAt": .string(JSONTime.text(end))]
        case .approved: ["state": "approved", "expiresAt": .null]
        }
    }
}

extension RecoveryVerdict {
    /// The word of the API.
    fileprivate var word: String {
        switch self {
        case .open: "open"
        case .ask: "ask"
        case .notice, .wait: "wait"
        }
    }
}

extension APIError {
    static let recoveryLinkNotValid = APIError(
        .recoveryLinkNotValid,
        "This recovery link was used already, was stopped, was replaced by a newer one, or has expired. Ask for a new one."
    )
}
