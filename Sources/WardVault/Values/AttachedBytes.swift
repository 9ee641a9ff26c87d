internal import Synchronization

/// The content of a file that is about to be attached, wiped with the last reference.
final class AttachedBytes: Hashable, Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    deinit { bytes.withLock { $0.wipe() } }

    /// Passes the content to a closure, which must not keep it.
    func withBytes<R: Sendable, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> R) throws(Failure) -> R {
        try bytes.withLock { (bytes) throws(Failure) in try body(bytes) }
    }

    /// Two contents are the same only if they are the same object: each attachment brings its own.
    static func == (lhs: AttachedBytes, rhs: AttachedBytes) -> Bool { lhs === rhs }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
