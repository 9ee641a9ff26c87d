internal import CSodium

/// Secret bytes outside Swift's heap: between guard pages, locked against swapping if possible, and wiped when they are freed.
///
/// `@unchecked Sendable` is safe because the initialiser writes the bytes once and then makes the memory read-only.
@safe package final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes.
    package let count: Int
    private let start: UnsafeMutableRawPointer

    /// Reserves memory and lets `fill` write it once.
    ///
    /// - Throws: ``RistrettoError/unavailable`` if there is no memory, or the errors of `fill`.
    init(
        count: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(RistrettoError) -> Void
    ) throws(RistrettoError) {
        guard Self.isReady, let memory = unsafe sodium_malloc(max(1, count)) else { throw .unavailable }
        self.count = count
        unsafe start = memory
        // All properties are set, so if this throws, the deinitialiser frees the memory.
        try unsafe fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        _ = unsafe sodium_mprotect_readonly(memory)
    }

    /// Copies bytes, and overwrites the caller's copy.
    ///
    /// - Throws: ``RistrettoError/unavailable`` if there is no memory.
    package convenience init(wiping bytes: inout [UInt8]) throws(RistrettoError) {
        defer { bytes.overwrite() }
        // The span borrows the array: a second reference to it would make the overwriting miss the bytes.
        let span = bytes.span
        try unsafe self.init(count: span.count) { (buffer) throws(RistrettoError) in
            for index in span.indices { unsafe buffer[index] = span[index] }
        }
    }

    deinit {
        unsafe sodium_free(start)
    }

    /// Passes the bytes to a closure, which must not store them.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The text that is shown instead of the bytes.
    package var description: String { "SecretBytes" }
    /// A mirror without the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether libsodium is initialised; checked once.
    static let isReady = sodium_init() >= 0
}

extension [UInt8] {
    /// Overwrites the bytes in place, if no other variable shares the array.
    mutating func overwrite() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe sodium_memzero(start, buffer.count)
        }
        removeAll()
    }
}
