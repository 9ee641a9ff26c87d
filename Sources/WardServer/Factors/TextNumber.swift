import WardAccounts
import WardWebAuthn

/// The telephone number of an account that gets codes in text messages.
struct TextNumber: Sendable {
    let record: FactorRecord
    let number: PhoneNumber

    /// Reads a record; `nil` for another kind.
    init?(_ record: FactorRecord) {
        guard record.kind == .textCodes,
            let number = try? PhoneNumber(String(decoding: record.payload, as: UTF8.self))
        else { return nil }
        self.record = record
        self.number = number
    }

    /// A record of a number.
    ///
    /// An account has at most one number that is confirmed, and one that is not.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - account: The account.
    ///   - now: Seconds since 1970.
    ///   - isConfirmed: Whether a code that was sent to it came back.
    /// - Returns: The record.
    static func record(
        _ number: PhoneNumber,
        of account: AccountID,
        at now: Int64,
        isConfirmed: Bool
    ) -> FactorRecord {
        FactorRecord(
            accountID: account,
            kind: .textCodes,
            key: key(of: account, isConfirmed: isConfirmed),
            payload: Array(number.text.utf8),
            createdAt: now,
            confirmedAt: isConfirmed ? now : nil
        )
    }

    static func key(of account: AccountID, isConfirmed: Bool) -> [UInt8] { account.bytes + [isConfirmed ? 1 : 0] }
}

extension AccountTransaction {
    /// The number of an account that gets codes, or the one that waits to be confirmed.
    func textNumber(of account: AccountID, isConfirmed: Bool) async throws -> TextNumber? {
        let key = TextNumber.key(of: account, isConfirmed: isConfirmed)
        return try await factor(.textCodes, key: key).flatMap(TextNumber.init)
    }

    /// Whether a number is the one of an account that gets codes, or the one that waits to be confirmed.
    func hasTextNumber(_ number: PhoneNumber, of account: AccountID, isConfirmed: Bool) async throws -> Bool {
        try await textNumber(of: account, isConfirmed: isConfirmed)?.number == number
    }
}

extension Deployment {
    /// Whether the service sends text messages.
    var sendsTexts: Bool { texts != nil }

    /// The confirmed number of an account, if the service sends text messages.
    func textNumber(of account: AccountID, in tx: some AccountTransaction) async throws -> PhoneNumber? {
        guard let texts, let number = try await tx.textNumber(of: account, isConfirmed: true)?.number else {
            return nil
        }
        // The settings may have changed since it was confirmed.
        return texts.allows(number) ? number : nil
    }

    /// Checks that one more message may go to a number, and counts it.
    ///
    /// Each message costs money, and some numbers pay those who cause messages. So there is a limit for the number and one for
    /// all people together.
    ///
    /// - Throws: ``APIError`` with `too_many_requests`.
    func countText(to number: PhoneNumber, at now: Int64, in tx: Store.Transaction) async throws {
        guard let texts else { return }
        let counters = [
            Counter(.textsToNumber, of: Array(number.text.utf8), tryLimits.textsToNumber),
            Counter(.allTexts, of: [], texts.limit),
        ]
        for counter in counters { try await counter.check(at: now, in: tx) }
        for counter in counters { try await counter.add(at: now, in: tx) }
    }

    /// Compares a code with the one that was sent to a number, and uses it up if it is right.
    func acceptsText(
        _ typed: String,
        for number: PhoneNumber,
        of account: AccountID,
        at now: Int64,
        in tx: Store.Transaction
    ) async throws -> Bool {
        guard let code = TypedCode.digits(typed, count: SentCode.digits) else { return false }
        let hash = try await SentCode.hash(of: code, account, effects.randomBytes, in: tx)
        guard let sent = try await tx.mailLink(tokenHash: hash), sent.purpose == .textCode,
            sent.accountID == account, sent.address == .phone(number), !sent.isExpired(at: now)
        else { return false }
        return try await tx.deleteMailLink(tokenHash: hash)
    }
}
