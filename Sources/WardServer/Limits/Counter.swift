import Crypto
import WardAccounts

/// One count in the store, with its limit.
struct Counter: Sendable {
    /// What is counted.
    enum Subject: String, Sendable {
        case name
        case device
        case address
        case overall
        case newAccounts = "new accounts"
        case secrets = "client secrets"
        case codes
        case devices
        case userCodes = "user codes"
        case addressCheck = "address checks"
        case mail
        case signInMail = "sign-in mail"
        case wrongCodes = "wrong codes"
        case sentCodes = "sent codes"
        case textsToNumber = "text messages to a number"
        case allTexts = "text messages"
        case recoveryProofs = "recovery proofs"
        case recoveriesOfName = "recoveries of a name"
        case stoppedRecoveries = "stopped recoveries"
        case helpersNamed = "named helpers"
        case helpersWanted = "wishes for help"
        case helpRequests = "requests for help"
        case helpCodes = "codes of helpers"
        case recoveriesFromAddress = "recoveries from an address"
        case allRecoveries = "recoveries"
    }

    let subject: Subject
    private let key: [UInt8]
    private let limit: AttemptLimit

    /// - Parameters:
    ///   - subject: What is counted.
    ///   - bytes: Of which name, device or address; only a digest is stored.
    ///   - limit: The limit.
    init(_ subject: Subject, of bytes: [UInt8], _ limit: AttemptLimit) {
        self.subject = subject
        self.limit = limit
        key = Array(SHA256.hash(data: Array(subject.rawValue.utf8) + [0] + bytes))
    }

    /// The remaining wait in seconds, or `nil` if an attempt is allowed now.
    func wait(at now: Int64, in tx: some AccountTransaction) async throws -> Int64? {
        limit.wait(try await tx.attempts(key), at: now)
    }

    /// The tries that count now.
    func count(at now: Int64, in tx: some AccountTransaction) async throws -> Int64 {
        try await tx.attempts(key).map { limit.count($0, at: now) } ?? 0
    }

    /// Counts a try.
    func add(at now: Int64, in tx: some AccountTransaction) async throws {
        try await tx.setAttempts(limit.adding(to: try await tx.attempts(key), key, at: now))
    }

    /// Takes a try back.
    func remove(at now: Int64, in tx: some AccountTransaction) async throws {
        guard let attempts = try await tx.attempts(key) else { return }
        if let fewer = limit.removing(from: attempts, at: now) {
            try await tx.setAttempts(fewer)
        } else {
            try await tx.deleteAttempts(key)
        }
    }

    /// Forgets all tries.
    func reset(in tx: some AccountTransaction) async throws {
        try await tx.deleteAttempts(key)
    }
}
