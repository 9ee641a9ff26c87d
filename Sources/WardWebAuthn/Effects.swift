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
                // Eight bytes a call: each call asks the kernel.
                var generator = SystemRandomNumberGenerator()
                var bytes: [UInt8] = []
                bytes.reserveCapacity(max(0, count))
                while bytes.count < count {
                    var word = generator.next()
                    for _ in 0..<min(8, count - bytes.count) {
                        bytes.append(UInt8(truncatingIfNeeded: word))
                        word >>= 8
                    }
                }
                return bytes
            }
        )
    }
}
