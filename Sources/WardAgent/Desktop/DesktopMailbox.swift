internal import CLinux
internal import Foundation
internal import Synchronization

/// The way from tasks to the thread that serves the bus.
final class DesktopMailbox: Sendable {
    enum Letter: Sendable {
        /// The answer to the request with this number.
        case answer(UInt64, DesktopAnswer)
        /// The thread ends.
        case end
    }

    private let letters = Mutex<[Letter]>([])
    /// Readable while there are letters (`eventfd(2)`).
    let descriptor: CInt

    init?() {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    var isEmpty: Bool { letters.withLock(\.isEmpty) }

    func put(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        _ = eventfd_write(descriptor, 1)
    }

    /// Takes all letters.
    func take() -> [Letter] {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &count)
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
