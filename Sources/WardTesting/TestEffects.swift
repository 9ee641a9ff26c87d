internal import Crypto
internal import Synchronization
public import WardWebAuthn

/// A fixed clock that tests move, and repeatable randomness.
///
/// ```swift
/// let world = TestEffects(now: 1_700_000_000)
/// let relyingParty = try RelyingParty(id: "example.com", name: "Example", origins: [origin], effects: world.effects)
/// world.advance(by: 301)
/// ```
public final class TestEffects: Sendable {
    private let clock: Mutex<Int64>
    private let drawn = Mutex<UInt64>(0)
    private let seed: [UInt8]

    /// Creates a clock at `now`, and random bytes that depend on `seed`.
    public init(now: Int64 = 1_700_000_000, seed: String = "ward") {
        clock = Mutex(now)
        self.seed = Array(seed.utf8)
    }

    /// The effects for the code under test.
    public var effects: Effects {
        Effects(now: { self.now }, randomBytes: { self.randomBytes($0) })
    }

    /// Seconds since 1970.
    public var now: Int64 { clock.withLock { $0 } }

    /// Moves the clock.
    public func advance(by seconds: Int64) {
        clock.withLock { $0 += seconds }
    }

    /// The next bytes of the sequence: SHA-256 in counter mode over the seed.
    public func randomBytes(_ count: Int) -> [UInt8] {
        var output: [UInt8] = []
        while output.count < count {
            let block = drawn.withLock { counter in
                counter += 1
                return counter
            }
            output += SHA256.hash(data: seed + Array("/\(block)".utf8))
        }
        return Array(output.prefix(count))
    }
}
