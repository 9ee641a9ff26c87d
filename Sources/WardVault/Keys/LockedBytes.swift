internal import CSodium

/// Secret bytes outside Swift's heap.
///
/// They are between guard pages, locked against swapping if possible, and wiped when they are freed.
///
/// They are locked as far as `RLIMIT_MEMLOCK` allows; beyond that libsodium continues without locking. No method of this type
/// prints or hashes the bytes.
///
/// `@unchecked Sendable` is safe because the initialiser writes the bytes once and then makes the memory read-only.
@safe final class LockedBytes: @unchecked Sendable {
    /// The number of bytes.
    let count: Int
    private let start: UnsafeMutableRawPointer

    /// Reserves memory and lets `fill` write it once.
    ///
    /// - Throws: ``VaultError`` with `unavailable` if there is no memory, or the errors of `fill`.
    init(
        count: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(VaultError) -> Void
    ) throws(VaultError) {
        guard Self.isReady, let memory = unsafe sodium_malloc(max(1, count)) else {
            throw VaultError(.unavailable, "the system has no locked memory left for keys")
        }
        self.count = count
        unsafe start = memory
        // If it throws, the memory is freed by `deinit`: all properties have their values.
        try unsafe fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        _ = unsafe sodium_mprotect_readonly(memory)
    }

    /// Copies bytes.
    ///
    /// The caller must wipe its own copy.
    convenience init(_ bytes: some Collection<UInt8>) throws(VaultError) {
        try unsafe self.init(count: bytes.count) { (buffer) throws(VaultError) in
            unsafe buffer.copyBytes(from: bytes)
        }
    }

    deinit {
        unsafe sodium_free(start)
    }

    /// Passes the bytes to a closure.
    ///
    /// The closure must not store them.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy in ordinary memory, for APIs that need one.
    var copy: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    /// Whether both have the same bytes.
    ///
    /// For two values of the same length, the time of the comparison does not depend on the bytes.
    func isEqual(to other: LockedBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe withBytes { mine in
            unsafe other.withBytes { theirs in
                guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
                return unsafe sodium_memcmp(left, right, count) == 0
            }
        }
    }

    /// Whether libsodium is initialised; checked once.
    static let isReady = sodium_init() >= 0
}

extension [UInt8] {
    /// Overwrites the bytes in place, if no other variable shares the array.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe sodium_memzero(start, buffer.count)
        }
        removeAll()
    }
}
