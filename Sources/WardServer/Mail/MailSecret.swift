import WardAccounts

/// What only the reader of a message knows: the token of its link, or its code.
///
/// It is made when the message is sent. The store has a hash of it.
enum MailSecret: Sendable {
    case link(LinkToken)
    case code(String, hash: [UInt8])

    /// Makes the secret of a message.
    ///
    /// A new code replaces the account's code from before.
    init(
        for purpose: MailLink.Purpose,
        of account: AccountID,
        randomBytes: (_ count: Int) -> [UInt8],
        in tx: some AccountTransaction
    ) async throws {
        guard purpose == .signInCode || purpose == .textCode else {
            self = .link(.random(using: randomBytes))
            return
        }
        try await tx.deleteMailLinks(of: account, purpose)
        let code = SentCode.new(randomBytes)
        self = .code(code, hash: try await SentCode.hash(of: Array(code.utf8), account, randomBytes, in: tx))
    }

    /// What the store has.
    var hash: [UInt8] {
        switch self {
        case .link(let token): token.hash
        case .code(_, let hash): hash
        }
    }

    /// The code, if it is one.
    var code: String? { if case .code(let code, _) = self { code } else { nil } }
}
