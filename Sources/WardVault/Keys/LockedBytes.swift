internal import CSodium

/// Secret bytes outside of Swift's heap: between guard pages, kept from swap where the system allows, wiped when freed.
///
/// Kept from swap as far as `RLIMIT_MEMLOCK` reaches; beyond it libsodium goes on without. Nothing here prints, compares or
/// hashes the bytes.
///
/// `@unchecked Sendable` holds because the bytes are written once, in the initialiser, and the memory is made read-only then.
@safe final class LockedBytes: @unchecked Sendable {
    /// How many bytes there are.
    let count: Int
    private let start: UnsafeMutableRawPointer

    /// Reserves memory and lets `fill` write it, once.
    ///
    /// - Throws: ``VaultError`` with `unavailable` when the system has no memory, or what `fill` throws.
    init(
        count: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(VaultError) -> Void
    ) throws(VaultError) {
        guard Self.isReady, let memory = unsafe sodium_malloc(max(1, count)) else {
            throw VaultError(.unavailable, "the system has no memory for keys")
        }
        self.count = count
        unsafe start = memory
        do throws(VaultError) {
            try unsafe fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        } catch {
            unsafe sodium_free(memory)
            throw error
        }
        _ = unsafe sodium_mprotect_readonly(memory)
    }

    /// Copies bytes; the caller's copy is the caller's to wipe.
    convenience init(_ bytes: some Collection<UInt8>) throws(VaultError) {
        try unsafe self.init(count: bytes.count) { (buffer) throws(VaultError) in
            unsafe buffer.copyBytes(from: bytes)
        }
    }

    deinit {
        unsafe sodium_free(start)
    }

    /// Lends the bytes out; they must not be kept.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy on the heap, for those who take nothing else.
    var copy: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    /// Whether both hold the same bytes, in time that does not depend on where they differ.
    func isEqual(to other: LockedBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe withBytes { mine in
            unsafe other.withBytes { theirs in
                guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
                return unsafe sodium_memcmp(left, right, count) == 0
            }
        }
    }

    /// Whether libsodium is ready, which is asked once.
    static let isReady = sodium_init() >= 0
}

extension [UInt8] {
    /// Overwrites the bytes where they are, if nobody else holds the array.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe sodium_memzero(start, buffer.count)
        }
        removeAll()
    }
}
