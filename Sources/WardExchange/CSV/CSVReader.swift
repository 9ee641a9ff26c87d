/// Reads the records of a CSV file one after the other (RFC 4180).
///
/// Line ends can be CRLF, LF or CR. A quotation mark inside a field that has none around it, and text after the closing mark,
/// are errors, because otherwise a damaged file would give wrong passwords.
struct CSVReader {
    /// How the records are written.
    struct Dialect: Hashable, Sendable {
        /// The character between fields.
        var separator = UInt8(ascii: ",")
        /// Whether `\"` and `\\` stand for a quotation mark and a backslash, as KeePass writes them.
        var escapesWithBackslash = false
    }

    /// The limits of a file.
    enum Limits {
        /// The maximum number of records with the header.
        static let rows = ImportSource.maximumItems + 1
        /// The maximum number of fields of a record.
        static let columns = 512
        /// The maximum length of a field, in bytes.
        static let field = 1 << 20
        /// The maximum size of a file, in bytes.
        static let size = 64 << 20
    }

    /// One record.
    struct Record {
        /// The number of the record in the file, from 1.
        let number: Int
        /// The fields.
        let fields: [String]
        /// Whether a line end follows.
        let hasLineEnd: Bool
    }

    private let bytes: [UInt8]
    private let dialect: Dialect
    private var offset = 0
    private var number = 0

    /// Starts at the beginning of a file.
    ///
    /// - Throws: ``ImportError`` with `malformed` for broken UTF-16, and `tooLarge`.
    init(_ file: [UInt8], _ dialect: Dialect = Dialect()) throws(ImportError) {
        guard file.count <= Limits.size else {
            throw ImportError(.tooLarge, "a CSV file can have at most \(Limits.size >> 20) MiB")
        }
        bytes = try Self.text(file)
        self.dialect = dialect
    }

    /// The next record with a field that is not empty, or `nil` at the end.
    mutating func next() throws(ImportError) -> Record? {
        while offset < bytes.count {
            number += 1
            guard number <= Limits.rows else {
                throw ImportError(.tooLarge, "a CSV file can have at most \(Limits.rows - 1) rows below its header")
            }
            let record = try record()
            if record.fields.contains(where: { !$0.isEmpty }) { return record }
        }
        return nil
    }

    private mutating func record() throws(ImportError) -> Record {
        var fields: [String] = []
        while true {
            guard fields.count < Limits.columns else {
                throw ImportError(.tooLarge, "row \(number) has more than \(Limits.columns) columns")
            }
            fields.append(try field())
            guard offset < bytes.count else { return Record(number: number, fields: fields, hasLineEnd: false) }
            let byte = bytes[offset]
            offset += 1
            if byte == dialect.separator { continue }
            // A field ends at a separator or a line end only.
            if byte == 0x0d, offset < bytes.count, bytes[offset] == 0x0a { offset += 1 }
            return Record(number: number, fields: fields, hasLineEnd: true)
        }
    }

    private mutating func field() throws(ImportError) -> String {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return try plainField() }
        offset += 1
        var value: [UInt8] = []
        var start = offset
        while true {
            guard offset < bytes.count else {
                throw ImportError(.truncated, "the file ends inside a quoted field of row \(number)")
            }
            guard value.count + offset - start <= Limits.field else { throw tooLong }
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\\"), dialect.escapesWithBackslash {
                value += bytes[start..<offset]
                start = min(offset + 1, bytes.count)
                offset = min(offset + 2, bytes.count)
            } else if byte == UInt8(ascii: "\"") {
                value += bytes[start..<offset]
                offset += 1
                guard !dialect.escapesWithBackslash, offset < bytes.count, bytes[offset] == byte else { break }
                start = offset
                offset += 1
            } else {
                offset += 1
            }
        }
        guard offset == bytes.count || isEnd(bytes[offset]) else {
            throw ImportError(.malformed, "row \(number) has text after the closing quotation mark of a field")
        }
        return try text(value[...])
    }

    private mutating func plainField() throws(ImportError) -> String {
        let start = offset
        while offset < bytes.count, !isEnd(bytes[offset]) {
            guard bytes[offset] != UInt8(ascii: "\"") else {
                throw ImportError(.malformed, "row \(number) has a quotation mark inside a field that is not quoted")
            }
            offset += 1
            guard offset - start <= Limits.field else { throw tooLong }
        }
        return try text(bytes[start..<offset])
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == dialect.separator || byte == 0x0a || byte == 0x0d }

    private func text(_ bytes: ArraySlice<UInt8>) throws(ImportError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ImportError(.malformed, "row \(number) is not UTF-8")
        }
        return text
    }

    private var tooLong: ImportError {
        ImportError(.tooLarge, "a field of row \(number) has more than \(Limits.field >> 20) MiB")
    }

    /// The file in UTF-8 without a byte order mark.
    private static func text(_ file: [UInt8]) throws(ImportError) -> [UInt8] {
        if file.starts(with: [0xef, 0xbb, 0xbf]) { return Array(file.dropFirst(3)) }
        let isLittle = file.starts(with: [0xff, 0xfe])
        guard isLittle || file.starts(with: [0xfe, 0xff]) else { return file }
        guard file.count % 2 == 0 else { throw ImportError(.truncated, "the file ends inside a character") }
        var units: [UInt16] = []
        units.reserveCapacity(file.count / 2)
        for index in stride(from: 2, to: file.count, by: 2) {
            let (first, second) = (UInt16(file[index]), UInt16(file[index + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw ImportError(.malformed, "the file is not UTF-16")
        }
        return Array(text.utf8)
    }
}
