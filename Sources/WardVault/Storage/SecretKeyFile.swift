internal import Foundation

/// The Secret Key on this device: a text file that a person can print, and that only its owner can read.
enum SecretKeyFile {
    private static let introduction = """
        # The Secret Key of a Ward vault. With the passphrase it opens the vault; without it no passphrase does.
        # Keep it on your own devices and on paper only.

        """

    /// The key in a file, or `nil` if there is no file.
    ///
    /// - Throws: ``VaultError`` with `damaged` when the file holds no key.
    static func read(_ path: String) throws(VaultError) -> SecretKey? {
        guard let bytes = try SmallFile.read(path, limit: 4096) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        for line in lines where !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace) {
            do {
                return try SecretKey(text: String(line))
            } catch {
                throw VaultError(.damaged, "the file of the Secret Key: \(error)")
            }
        }
        throw VaultError(
            .damaged,
            "the file of the Secret Key contains no Secret Key: write the key from your emergency kit into the file"
        )
    }

    /// Writes a key, if the file does not exist yet.
    static func write(_ key: SecretKey, to path: String, _ environment: VaultEnvironment) throws(VaultError) {
        try SmallFile.replace(path, with: Array((introduction + key.text + "\n").utf8), environment)
    }

    /// Renames the file of a key that belongs to another vault.
    ///
    /// It never overwrites another file.
    static func setAside(_ path: String) throws(VaultError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        for number in 1...1000 {
            let target = path + ".old" + (number == 1 ? "" : String(number))
            guard !FileManager.default.fileExists(atPath: target) else { continue }
            return try SmallFile.move(path, to: target)
        }
        throw VaultError(.unavailable, "there are too many old Secret Key files beside the vault")
    }
}
