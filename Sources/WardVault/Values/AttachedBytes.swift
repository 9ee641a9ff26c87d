internal import Synchronization

/// The content of a file that will be attached.
///
/// It is wiped with the last reference.
final class AttachedBytes: Hashable, Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    deinit { bytes.withLock { $0.wipe() } }

    /// Passes the content to a closure.
    ///
    /// The closure must not store it.
    func withBytes<R: Sendable, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> R) throws(Failure) -> R {
        try bytes.withLock { (bytes) throws(Failure) in try body(bytes) }
    }

    /// Two contents are equal only if they are the same object, because each attachment has its own.
    static func == (lhs: AttachedBytes, rhs: AttachedBytes) -> Bool { lhs === rhs }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
