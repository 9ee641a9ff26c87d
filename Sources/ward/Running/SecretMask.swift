/// Replaces secrets in a stream of bytes.
///
/// It also finds a secret that is divided between two pieces of the stream.
struct SecretMask {
    /// The text that replaces a secret.
    static let mask = Array("********".utf8)
    /// The minimum length of a masked secret, in bytes.
    ///
    /// Shorter values occur in too many texts.
    static let minimumLength = 4

    private let secrets: [[UInt8]]
    private let first: Set<UInt8>
    private var pending: [UInt8] = []

    init(_ secrets: [String]) {
        // Longer secrets are replaced first. Otherwise, if one secret is the beginning of another, a part of the longer one
        // would stay visible.
        self.secrets = Set(secrets).map { Array($0.utf8) }.filter { $0.count >= Self.minimumLength }
            .sorted { $0.count > $1.count }
        first = Set(self.secrets.compactMap(\.first))
    }

    /// Adds a piece of the stream, and returns the masked output.
    ///
    /// - Returns: What can be written; an end that may begin a secret is kept back.
    mutating func feed(_ piece: some Sequence<UInt8>) -> [UInt8] {
        pending += piece
        return drain(isEnd: false)
    }

    /// The bytes that were held back, at the end of the stream.
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
