import Crypto
import Synchronization
import WardLog
import WardWebAuthn

/// Challenges that devices sign, each accepted once.
///
/// A challenge says itself when it was made, with a code that only this process can compute. So nothing is kept for a stranger who
/// asks for one; what is kept are challenges that somebody answered rightly. After a restart a device asks for another one.
final class Challenges: Sendable {
    private static let nonceLength = 8
    private static let timeLength = 8
    private static let codeLength = 16
    /// The length of a challenge.
    static let length = nonceLength + timeLength + codeLength

    private let effects: Effects
    private let key: SymmetricKey
    /// Challenges that were used, with the time of each.
    private let used = Mutex<[[UInt8]: Int64]>([:])

    init(_ effects: Effects) {
        self.effects = effects
        key = SymmetricKey(data: effects.randomBytes(32))
    }

    /// A new challenge for a vault, and its time.
    func make(for vault: VaultID) -> (challenge: [UInt8], time: Int64) {
        let time = effects.now()
        let head = effects.randomBytes(Self.nonceLength) + withBigEndian(time)
        return (head + code(head, vault), time)
    }

    /// The time of a challenge that was made for this vault and can still be used.
    func time(of challenge: [UInt8], for vault: VaultID) -> Int64? {
        guard challenge.count == Self.length else { return nil }
        let head = Array(challenge.prefix(Self.nonceLength + Self.timeLength))
        let code = HMAC<SHA256>.authenticationCode(for: vault.bytes + head, using: key)
        var difference: UInt8 = 0
        for (one, other) in zip(code.prefix(Self.codeLength), challenge.suffix(Self.codeLength)) {
            difference |= one ^ other
        }
        let time = head.suffix(Self.timeLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard difference == 0, let time = Int64(exactly: time) else { return nil }
        let now = effects.now()
        guard time <= now, now - time <= SyncLimits.challengeLifetime, used.withLock({ $0[challenge] == nil }) else {
            return nil
        }
        return time
    }

    /// Uses a challenge up.
    ///
    /// - Returns: Whether it was not used before.
    func spend(_ challenge: [UInt8]) -> Bool {
        let now = effects.now()
        return used.withLock { used in
            if used.count >= 1_024 { used = used.filter { now - $0.value <= SyncLimits.challengeLifetime } }
            return used.updateValue(now, forKey: challenge) == nil
        }
    }

    private func code(_ head: [UInt8], _ vault: VaultID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: vault.bytes + head, using: key).prefix(Self.codeLength))
    }

    private func withBigEndian(_ value: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * $0)) }
    }
}
