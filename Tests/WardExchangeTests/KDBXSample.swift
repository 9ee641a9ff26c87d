import WardExchange
import WardVault

/// A KDBX file with a content of the test's choice.
///
/// What other programs write is tested in `Tests/Interop/test_import_kdbx.py`.
struct KDBXSample {
    static let fast = KDBXDerivation.aes(rounds: 3, seed: [UInt8](repeating: 1, count: 32))

    var cipher = KDBXCipher.chaCha20
    var derivation = Self.fast
    var isCompressed = true
    var passphrase: SecretText? = "correct horse"
    var keyFile: SecretBytes?
    /// Attached files.
    var files: [[UInt8]] = []
    var xml = ""

    /// The source of an import.
    func source() throws -> ImportSource {
        let stream: [UInt8] = [1, 4, 0, 0, 0, 0, 0, 0, 0]
        let attached = files.flatMap { file in
            let size = UInt32(file.count + 1)
            return [3] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + [0] + file
        }
        let content = stream + attached + [0, 0, 0, 0, 0] + Array(xml.utf8)
        let writer = KDBXWriter(cipher, derivation, isCompressed: isCompressed)
        let bytes = try writer.file(content: content, passphrase: passphrase, keyFile: keyFile)
        return ImportSource(name: "a.kdbx", bytes: bytes, passphrase: passphrase, keyFile: keyFile, now: 1_000)
    }

    /// One entry of texts in one group below the first one.
    static func entry(_ texts: [(String, String)], more: String = "") -> String {
        let strings = texts.map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }.joined()
        return
            "<KeePassFile><Meta/><Root><Group><Name>Root</Name><Group><Name>Work</Name><Entry>\(strings)\(more)</Entry>"
            + "</Group></Group></Root></KeePassFile>"
    }
}
