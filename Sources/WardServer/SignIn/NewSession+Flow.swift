import WardAccounts

extension NewSession {
    /// Ends the browser's old session and starts a new one, after a sign-in in steps, of which the first may be the only one.
    ///
    /// If the old session had a sign-in with a passkey of the same account, a session that begins with a password, or at an identity
    /// provider, takes over that proof and its time.
    ///
    /// - Parameters:
    ///   - flow: The complete flow.
    ///   - wrongPasswords: How many wrong passwords came for the name before.
    ///   - isNewDevice: Whether the browser had not signed in before.
    ///   - tx: The transaction.
    /// - Throws: The store's errors.
    func begin(
        completing flow: SignInFlow,
        after wrongPasswords: Int64 = 0,
        onNewDevice isNewDevice: Bool = false,
        in tx: some AccountTransaction
    ) async throws {
        let old: Session? = if let previous { try await tx.session(tokenHash: previous.tokenHash) } else { nil }
        let kept = old.flatMap { isOpen($0) && $0.accountID == flow.account ? $0.passkeyProof : nil }
        let second = flow.secondFactor
        let details = details(after: wrongPasswords, onNewDevice: isNewDevice).with(factor: second?.rawValue)
        let (method, proof): (Session.Method, PasskeyProof?) =
            switch flow.beginning {
            case .password: (.password, kept)
            case .federated: (.federated, kept)
            // The passkey and the password came within the lifetime of the flow.
            case .passkey(let id):
                (
                    flow.later.contains(.password) ? .password : .passkey,
                    PasskeyProof(by: id, at: flow.begunAt, userVerified: false)
                )
            case .verifiedPasskey(let id): (.passkey, PasskeyProof(by: id, at: flow.begunAt, userVerified: true))
            }
        try await insert(flow.account, method, proof, second, replacing: old, details, in: tx)
    }
}
