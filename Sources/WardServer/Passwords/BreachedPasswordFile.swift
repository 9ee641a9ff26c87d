import Crypto
import Foundation
import WardText

/// A file with the SHA-1 hashes of passwords from data breaches, sorted, one a line: the form of the Pwned Passwords list.
///
/// A lookup reads about forty small parts of the file, no matter how large it is. The file may be replaced while the service
/// runs.
package struct BreachedPasswordFile: Sendable {
    /// The file does not have the expected form.
    struct Malformed: Error {}

    private static let digits = 40
    /// The limit is longer than any line: 40 digits, a colon, a count and the end of the line.
    private static let chunk = 128
    /// The number of places in the file that are checked when the service starts.
    private static let samples: UInt64 = 64

    private let path: String

    /// Checks the file at several places.
    ///
    /// - Throws: ``ServerConfigurationError`` if it cannot be read, or does not consist of sorted hashes.
    package init(_ path: String) throws(ServerConfigurationError) {
        self.path = path
        do {
            try opened(Self.check)
        } catch {
            throw ServerConfigurationError(
                "the breached passwords in \(path) cannot be used: expected a text file with SHA-1 hashes in hexadecimal "
                    + "digits, sorted, one a line"
            )
        }
    }

    /// Whether a password is in the file.
    ///
    /// - Throws: The file's errors, or ``Malformed``.
    package func contains(_ password: [UInt8]) throws -> Bool {
        let wanted = Array(Hex.encode(Insecure.SHA1.hash(data: password), uppercase: true).utf8)
        return try opened { try Self.search($0, for: wanted) }
    }

    private func opened<Value>(_ body: (FileHandle) throws -> Value) throws -> Value {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        return try body(file)
    }

    /// Checks that the lines at some places are hashes in ascending order.
    private static func check(_ file: FileHandle) throws {
        let size = try file.seekToEnd()
        var previous = try hash(file, at: 0)
        for sample in 1..<samples {
            guard let start = try lineStart(file, from: size / samples * sample), start < size else { continue }
            let next = try hash(file, at: start)
            guard !next.lexicographicallyPrecedes(previous) else { throw Malformed() }
            previous = next
        }
    }

    private static func search(_ file: FileHandle, for wanted: [UInt8]) throws -> Bool {
        // If the line exists, it begins between these two positions.
        var (low, high) = (0 as UInt64, try file.seekToEnd())
        while low < high {
            let middle = low + (high - low) / 2
            guard let start = try lineStart(file, from: middle), start < high else {
                high = middle
                continue
            }
            let found = try hash(file, at: start)
            if found == wanted { return true }
            if found.lexicographicallyPrecedes(wanted) { low = start + UInt64(digits) } else { high = middle }
        }
        return false
    }

    /// The hash at the beginning of a line, in upper case.
    private static func hash(_ file: FileHandle, at start: UInt64) throws -> [UInt8] {
        let line = try read(file, at: start, digits)
        guard line.count == digits, line.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            throw Malformed()
        }
        return line.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
    }

    /// The position of the first line that begins at this position or later; `nil` if there is none.
    private static func lineStart(_ file: FileHandle, from offset: UInt64) throws -> UInt64? {
        guard offset > 0 else { return 0 }
        let before = try read(file, at: offset - 1, chunk)
        if let end = before.firstIndex(of: 0x0a) { return offset + UInt64(end) }
        guard before.count < chunk else { throw Malformed() }
        return nil
    }

    private static func read(_ file: FileHandle, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        try file.seek(toOffset: offset)
        return Array(try file.read(upToCount: count) ?? Data())
    }
}
