internal import Dispatch
internal import Synchronization

extension Array where Element: Sendable {
    /// The results for all elements, in their order; all processors work on them.
    ///
    /// Task-local values are not seen in the closure.
    func mapOnAllProcessors<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        let length = 64
        guard count > length else { return map(transform) }
        let parts = (count + length - 1) / length
        let found = Mutex<[Int: [Result]]>([:])
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let results = self[(part * length)..<Swift.min(count, (part + 1) * length)].map(transform)
            found.withLock { $0[part] = results }
        }
        return found.withLock { found in (0..<parts).flatMap { found[$0] ?? [] } }
    }
}
