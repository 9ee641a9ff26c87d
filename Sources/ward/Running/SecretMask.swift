/// Replaces secrets in a stream of bytes, also where pieces of the stream cut them.
struct SecretMask {
    /// What stands in place of a secret.
    static let mask = Array("********".utf8)
    /// The shortest secret that is masked, in bytes: shorter ones are everywhere.
    static let minimumLength = 4

    private let secrets: [[UInt8]]
    private let first: Set<UInt8>
    private var pending: [UInt8] = []

    init(_ secrets: [String]) {
        // The longest first, so that no part of it is left when another secret is its beginning.
        self.secrets = Set(secrets).map { Array($0.utf8) }.filter { $0.count >= Self.minimumLength }
            .sorted { $0.count > $1.count }
        first = Set(self.secrets.compactMap(\.first))
    }

    /// Takes a piece of the stream.
    ///
    /// - Returns: What can be written; an end that may begin a secret is kept back.
    mutating func feed(_ piece: some Sequence<UInt8>) -> [UInt8] {
        pending += piece
        return drain(isEnd: false)
    }

    /// What was kept back, at the end of the stream.
    mutating func finish() -> [UInt8] { drain(isEnd: true) }

    private mutating func drain(isEnd: Bool) -> [UInt8] {
        var out: [UInt8] = []
        var index = 0
        scan: while index < pending.count {
            if first.contains(pending[index]) {
                let rest = pending[index...]
                if !isEnd, secrets.contains(where: { $0.count > rest.count && $0.starts(with: rest) }) { break scan }
                if let secret = secrets.first(where: { rest.starts(with: $0) }) {
                    out += Self.mask
                    index += secret.count
                    continue
                }
            }
            out.append(pending[index])
            index += 1
        }
        pending.removeFirst(index)
        return out
    }
}
