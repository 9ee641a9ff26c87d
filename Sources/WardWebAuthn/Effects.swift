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
                unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
                    unsafe fill(UnsafeMutableRawBufferPointer(buffer))
                    filled = buffer.count
                }
            }
        )
    }

    /// Fills a buffer with random bytes of the kernel.
    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        #if canImport(Darwin)
        unsafe arc4random_buf(buffer.baseAddress, buffer.count)
        #else
        var generator = SystemRandomNumberGenerator()
        // `getentropy` takes at most so many bytes. The standard library's generator asks the kernel for eight a call.
        let most = 256
        var start = 0
        while start < buffer.count {
            let end = min(start + most, buffer.count)
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end])
            if unsafe getentropy(part.baseAddress, part.count) != 0 {
                for index in part.indices { unsafe part[index] = generator.next() }
            }
            start = end
        }
        #endif
    }
}
