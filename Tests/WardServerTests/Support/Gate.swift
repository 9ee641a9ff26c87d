import Foundation

/// Holds a thread until it is told; what it knows is touched under its lock alone.
final class Gate: Sendable {
    private let lock = NSCondition()
    nonisolated(unsafe) private var isOpen = false

    func wait() {
        lock.lock()
        while unsafe !isOpen { lock.wait() }
        lock.unlock()
    }

    func open() {
        lock.lock()
        unsafe isOpen = true
        lock.broadcast()
        lock.unlock()
    }
}
