#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The source of time and randomness; tests pass their own.
public struct Effects: Sendable {
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64
    /// Cryptographically secure random bytes.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8]

    /// Creates effects from two closures.
    public init(now: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.now = now
        self.randomBytes = randomBytes
    }

    /// The system's clock and its cryptographically secure random generator.
    public static var live: Effects {
        Effects(
            now: { Int64(time(nil)) },
            randomBytes: { count in
                var generator = SystemRandomNumberGenerator()
                return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            }
        )
    }
}
