internal import CZlib

/// The files in a ZIP archive, by its central directory.
struct ZipArchive {
    private struct Entry {
        var method: UInt16
        var isEncrypted: Bool
        var checksum: UInt32
        var packed: Int
        var size: Int
        var offset: Int
    }

    /// The maximum number of files.
    static let maximumCount = 20_000
    /// The maximum size of one file, in bytes.
    static let maximumSize = 64 << 20

    private let bytes: [UInt8]
    private var entries: [String: Entry] = [:]

    /// Whether the bytes begin like an archive.
    static func isArchive(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) }

    /// Reads the central directory.
    ///
    /// - Throws: ``ImportError`` with `truncated`, `malformed`, or `tooLarge`.
    init(_ bytes: [UInt8]) throws(ImportError) {
        self.bytes = bytes
        // The last record has a comment of at most 65,535 bytes.
        let mark: [UInt8] = [0x50, 0x4b, 0x05, 0x06]
        let earliest = max(0, bytes.count - 65_557)
        guard
            let end = stride(from: bytes.count - 22, through: earliest, by: -1).first(where: {
                bytes[$0...].starts(with: mark)
            })
        else { throw ImportError(.truncated, "the archive has no directory") }
        var record = LittleEndianReader(bytes[(end + 10)...], "the archive's directory")
        let count = try record.number(UInt16.self)
        let size = try record.number(UInt32.self)
        let start = try record.number(UInt32.self)
        guard count <= Self.maximumCount else {
            throw ImportError(.tooLarge, "the archive has more than \(Self.maximumCount) files")
        }
        guard let start = Int(exactly: start), let size = Int(exactly: size), start <= end, size <= end - start else {
            throw ImportError(.malformed, "the archive's directory is not inside of the archive")
        }
        var directory = LittleEndianReader(bytes[start..<(start + size)], "the archive's directory")
        for _ in 0..<count { try readEntry(&directory) }
    }

    private mutating func readEntry(_ directory: inout LittleEndianReader) throws(ImportError) {
        guard try directory.number(UInt32.self) == 0x0201_4b50 else {
            throw ImportError(.malformed, "the archive's directory is damaged")
        }
        _ = try directory.take(4)
        let flags = try directory.number(UInt16.self)
        let method = try directory.number(UInt16.self)
        _ = try directory.take(4)
        let checksum = try directory.number(UInt32.self)
        let packed = try directory.number(UInt32.self)
        let size = try directory.number(UInt32.self)
        let nameLength = try directory.number(UInt16.self)
        let extraLength = try directory.number(UInt16.self)
        let commentLength = try directory.number(UInt16.self)
        _ = try directory.take(8)
        let offset = try directory.number(UInt32.self)
        let name = String(decoding: try directory.take(nameLength), as: UTF8.self)
        _ = try directory.take(extraLength)
        _ = try directory.take(commentLength)
        entries[name] = Entry(
            method: method,
            isEncrypted: flags & 1 != 0,
            checksum: checksum,
            packed: Int(packed),
            size: Int(size),
            offset: Int(offset)
        )
    }

    /// The names of all files.
    var names: [String] { Array(entries.keys) }

    /// The content of a file, or `nil` if there is no such file.
    ///
    /// - Throws: ``ImportError`` for content that is encrypted, damaged, or larger than ``maximumSize``.
    func content(_ name: String) throws(ImportError) -> [UInt8]? {
        guard let entry = entries[name] else { return nil }
        let shown = "a file of the archive"
        guard !entry.isEncrypted else {
            throw ImportError(.unsupported, "the archive is encrypted; unpack it, and import the file inside")
        }
        guard entry.size <= Self.maximumSize else {
            throw ImportError(.tooLarge, "\(shown) has more than \(Self.maximumSize >> 20) MiB when it is decompressed")
        }
        guard entry.offset <= bytes.count else { throw ImportError(.truncated, "\(shown) is cut off") }
        var reader = LittleEndianReader(bytes[entry.offset...], shown)
        guard try reader.number(UInt32.self) == 0x0403_4b50 else {
            throw ImportError(.malformed, "\(shown) is damaged")
        }
        _ = try reader.take(22)
        let nameLength = try reader.number(UInt16.self)
        let extraLength = try reader.number(UInt16.self)
        _ = try reader.take(Int(nameLength) + Int(extraLength))
        let packed = try reader.take(entry.packed)
        let content: [UInt8]
        switch entry.method {
        case 0: content = Array(packed)
        case 8: content = try Deflate.decompress(packed, .none, limit: Self.maximumSize, name: shown)
        default: throw ImportError(.unsupported, "\(shown) is compressed in an unknown way")
        }
        let checksum = unsafe UInt32(truncatingIfNeeded: crc32(0, content, UInt32(content.count)))
        guard content.count == entry.size, checksum == entry.checksum else {
            throw ImportError(.malformed, "\(shown) is damaged")
        }
        return content
    }
}
