internal import Crypto

/// The words of a request, which a person compares on two screens.
///
/// The holder of a folder can replace a request by their own. Eight words are 96 bits: to find another request with the
/// same words is beyond anybody. `Documentation/formats/sync.md`, "Pairing by file".
enum PairingWords {
    static let count = 8
    /// The bits of a word: each of the first 4,096 words of the list has a number, and all are equally likely.
    private static let bits = 12

    /// The words of a request.
    static func of(_ request: [UInt8]) -> [String] {
        words(Array(SHA256.hash(data: Array("ward/v1/pairing/words".utf8) + [0] + request)))
    }

    /// The words of the first 96 bits of a hash, with the most significant bit first.
    static func words(_ hash: [UInt8]) -> [String] {
        var words: [String] = []
        var pending = 0
        var pendingBits = 0
        for byte in hash {
            pending = pending << 8 | Int(byte)
            pendingBits += 8
            guard pendingBits >= bits else { continue }
            pendingBits -= bits
            words.append(WordList.words[pending >> pendingBits])
            pending &= (1 << pendingBits) - 1
            if words.count == count { break }
        }
        return words
    }
}
