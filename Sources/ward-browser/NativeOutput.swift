import Foundation
import Synchronization
import WardAgentClient

/// Writes answers to standard output, one at a time.
final class NativeOutput: Sendable {
    private let turn = Mutex(())

    /// Writes an answer, in pieces if it is long.
    ///
    /// If the browser reads no more, this process ends.
    func write(_ answer: [UInt8], _ id: Envelope.ID?) {
        let bytes = NativeMessages.frames(answer, id: id)
        turn.withLock { _ in
            guard Self.write(bytes, to: STDOUT_FILENO) else { exit(0) }
        }
    }

    /// Writes an error.
    func refuse(_ error: AgentError, _ id: Envelope.ID?) {
        // The error has only plain text, so encoding cannot fail.
        write((try? Envelope.encode(Envelope.Refusal(id: id, error))) ?? [], id)
    }

    /// Writes all bytes.
    ///
    /// - Returns: Whether the other end took them.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all -> Int in
                guard let start = all.baseAddress else { return 0 }
                return unsafe Foundation.write(descriptor, start + sent, all.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
