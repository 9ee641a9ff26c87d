internal import Crypto
internal import Foundation
internal import WardText

/// A file with the SHA-1 hashes of passwords from data breaches, sorted, one a line: the form of the Pwned Passwords list.
///
/// A lookup reads about forty small parts of the file, no matter how large it is. The file may be replaced while the program
/// runs.
package struct BreachedPasswordFile: Sendable {
    private static let digits = 40
    /// The limit is longer than any line: 40 digits, a colon, a count and the end of the line.
    private static let chunk = 128
    /// The number of places in the file that are checked at first.
    private static let samples = 64

    private let path: String

    /// Checks the file at several places.
    ///
    /// - Throws: ``BreachedPasswordError`` if it cannot be read, or does not consist of sorted hashes.
    package init(_ path: String) throws(BreachedPasswordError) {
        self.path = path
        let file = try File(path)
        var previous = try Self.hash(file, at: 0)
        for sample in 1..<Self.samples {
            guard let start = try Self.lineStart(file, from: file.size / Self.samples * sample), start < file.size
            else { continue }
            let next = try Self.hash(file, at: start)
            guard !next.lexicographicallyPrecedes(previous) else { throw BreachedPasswordError(.fileNotSorted(path)) }
            previous = next
        }
    }

    /// Whether a password is in the file.
    ///
    /// - Throws: ``BreachedPasswordError``
    package func contains(_ password: [UInt8]) throws(BreachedPasswordError) -> Bool {
        try count(of: BreachedPasswordHash(password)) > 0
    }

    /// How often a password was seen in data breaches; 0 if it was not, and 1 if the file has no counts.
    ///
    /// - Throws: ``BreachedPasswordError`` if the file cannot be read, or its lines are not sorted hashes.
    package func count(of hash: BreachedPasswordHash) throws(BreachedPasswordError) -> Int {
        let wanted = Array(hash.text.utf8)
        let file = try File(path)
        // If the line exists, it begins between these two positions, and its hash is between these two hashes.
        var (low, high) = (0, file.size)
        var (least, most) = ([UInt8](), [UInt8(ascii: "G")])
        while low < high {
            let middle = low + (high - low) / 2
            guard let start = try Self.lineStart(file, from: middle), start < high else {
                high = middle
                continue
            }
            let found = try Self.hash(file, at: start)
            guard !found.lexicographicallyPrecedes(least), !most.lexicographicallyPrecedes(found) else {
                throw BreachedPasswordError(.fileNotSorted(path))
            }
            if found == wanted { return try Self.count(file, at: start) }
            if found.lexicographicallyPrecedes(wanted) {
                (low, least) = (start + Self.digits, found)
            } else {
                (high, most) = (middle, found)
            }
        }
        return 0
    }

    // MARK: Lines

    /// The count after a hash; 1 if there is none.
    private static func count(_ file: borrowing File, at start: Int) throws(BreachedPasswordError) -> Int {
        let line = try file.read(at: start + digits, chunk).prefix { $0 != 0x0a && $0 != 0x0d }
        guard line.first == UInt8(ascii: ":") else { return 1 }
        return max(1, Int(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 1)
    }

    /// The hash at the beginning of a line, in upper case.
    private static func hash(_ file: borrowing File, at start: Int) throws(BreachedPasswordError) -> [UInt8] {
        let line = try file.read(at: start, digits + 1)
        let isEnded = line.count == digits || [0x0a, 0x0d, UInt8(ascii: ":")].contains(line.last ?? 0)
        guard line.count >= digits, isEnded, line.prefix(digits).allSatisfy({ Hex.value($0) != nil }) else {
            throw BreachedPasswordError(.fileNotHashes(file.path, at: start))
        }
        return line.prefix(digits).map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
    }

    /// The position of the first line that begins at this position or later; `nil` if there is none.
    private static func lineStart(_ file: borrowing File, from offset: Int) throws(BreachedPasswordError) -> Int? {
        guard offset > 0 else { return 0 }
        let before = try file.read(at: offset - 1, chunk)
        if let end = before.firstIndex(of: 0x0a) { return offset + end }
        guard before.count < chunk else { throw BreachedPasswordError(.fileNotHashes(file.path, at: offset)) }
        return nil
    }

    /// An open file.
    private struct File: ~Copyable {
        let path: String
        let size: Int
        private let descriptor: CInt

        /// Opens a regular file; anything else could keep the reader waiting.
        init(_ path: String) throws(BreachedPasswordError) {
            self.path = path
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw BreachedPasswordError(.fileUnreadable(path)) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw BreachedPasswordError(.fileUnreadable(path))
            }
            size = Int(status.st_size)
        }

        deinit { close(descriptor) }

        /// At most this many bytes at a position; fewer at the end of the file.
        func read(at offset: Int, _ count: Int) throws(BreachedPasswordError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let length = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            }
            guard length >= 0 else { throw BreachedPasswordError(.fileUnreadable(path)) }
            return Array(bytes.prefix(length))
        }
    }
}
