internal import WardVault

/// The meaning of a column.
enum CSVColumn: Sendable {
    case title, site, username, password, notes, code
    /// A folder or a group, which becomes a tag.
    case tag
    /// Several tags with commas or semicolons between them.
    case tags
    case favorite
    case created(CSVTime)
    /// The time of the last change of the password, or of the entry.
    case changed(CSVTime)
    /// A value that becomes a field with this label.
    case field(String, Field.ValueType = .text)
    /// A value that the format's own rules read.
    case own
    /// A value that means nothing outside its program.
    case internalValue
}

/// A format of CSV files: its columns, and the rules beside them.
struct CSVFormat: Sendable {
    /// The columns by their names in lower case.
    ///
    /// A value in any other column becomes a field of the item.
    var columns: [String: CSVColumn]
    /// The columns that a file of this format always has.
    var required: Set<String>
    /// Whether a file of this format has no other columns than ``columns``.
    var isExact = false
    /// How the program escapes quotation marks.
    var escapesWithBackslash = false
    /// Whether the program ends every row with a line end, so that a file without one is cut off.
    var endsRows = false
    /// Whether a row can have more fields than the header.
    var hasLongRows = false
    /// The rules beside the table.
    var adjust: @Sendable (inout CSVDraft) -> Void = { _ in }

    /// Makes the format that ``ImportFormat/all`` lists.
    func format(id: String, title: String) -> ImportFormat {
        ImportFormat(
            id: id,
            title: title,
            recognizes: { source in
                guard let header = try? CSVTable.header(source) else { return false }
                return matches(header.names)
            },
            read: { source throws(ImportError) in try read(source) }
        )
    }

    private func matches(_ names: [String]) -> Bool {
        required.isSubset(of: names) && (!isExact || names.allSatisfy { columns[$0] != nil })
    }

    func read(_ source: ImportSource) throws(ImportError) -> ImportedFile {
        var table = try CSVTable(source, escapesWithBackslash: escapesWithBackslash)
        guard required.isSubset(of: table.names) else {
            let missing = required.subtracting(table.names).sorted().joined(separator: ", ")
            throw ImportError(.malformed, "the first row lacks the columns: \(missing)")
        }
        var (file, ignored): (ImportedFile, Set<String>) = (ImportedFile(), [])
        while let row = try table.next(allowingLongRows: hasLongRows, endsRows: endsRows) {
            guard file.items.count < ImportSource.maximumItems else {
                throw ImportError(.tooLarge, "the file has more than \(ImportSource.maximumItems) items")
            }
            var draft = CSVDraft(row, now: source.now)
            draft.fill(columns)
            adjust(&draft)
            ignored.formUnion(draft.ignored)
            if let item = draft.finished() { file.items.append(item) }
            file.notices += draft.notices
        }
        for name in ignored.sorted() {
            file.notices.append(
                ImportNotice(place: "column \(name)", .skipped, "the values mean nothing outside their program")
            )
        }
        return file
    }
}

/// A CSV file: its header and its rows.
struct CSVTable {
    /// The names in the first row as they are written.
    let labels: [String]
    /// The names in lower case, without white space around them.
    let names: [String]
    private var reader: CSVReader

    /// Reads the header.
    ///
    /// The separator is the one that gives the most columns.
    init(_ source: ImportSource, escapesWithBackslash: Bool) throws(ImportError) {
        let (labels, separator) = try Self.labels(source.bytes)
        self.labels = labels
        names = labels.map { $0.lowercased() }
        let dialect = CSVReader.Dialect(separator: separator, escapesWithBackslash: escapesWithBackslash)
        reader = try CSVReader(source.bytes, dialect)
        _ = try reader.next()
    }

    /// The header of a file, of which only the beginning is read.
    static func header(_ source: ImportSource) throws(ImportError) -> (names: [String], labels: [String]) {
        let labels = try labels(source.bytes).labels
        return (labels.map { $0.lowercased() }, labels)
    }

    private static func labels(_ bytes: [UInt8]) throws(ImportError) -> (labels: [String], separator: UInt8) {
        // The cut is after an even number of bytes, for UTF-16.
        let head = Array(bytes.prefix(1 << 16))
        var best: ([String], UInt8)?
        var problem: ImportError?
        for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09] {
            do {
                var reader = try CSVReader(head, CSVReader.Dialect(separator: separator))
                guard let first = try reader.next() else { continue }
                let labels = first.fields.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
                if labels.count > best?.0.count ?? 0 { best = (labels, separator) }
            } catch {
                problem = problem ?? error
            }
        }
        guard let best else { throw problem ?? ImportError(.malformed, "the file is empty") }
        return (best.0, best.1)
    }

    /// The next row, or `nil` at the end.
    mutating func next(allowingLongRows: Bool, endsRows: Bool) throws(ImportError) -> CSVRow? {
        guard let record = try reader.next() else { return nil }
        let (count, wanted) = (record.fields.count, names.count)
        let wrongCount = ImportError(
            .malformed,
            "row \(record.number) has \(count) columns, but the first row has \(wanted)"
        )
        if count < wanted || (endsRows && !record.hasLineEnd) {
            guard !record.hasLineEnd else { throw wrongCount }
            throw ImportError(
                .truncated,
                "the file ends in the middle of row \(record.number). Export it again"
            )
        }
        guard count == wanted || allowingLongRows else { throw wrongCount }
        return CSVRow(number: record.number, names: names, labels: labels, values: record.fields)
    }
}

/// One row with the header.
struct CSVRow {
    let number: Int
    let names: [String]
    let labels: [String]
    let values: [String]

    /// The value in the first column with a name; empty if there is no such column.
    subscript(name: String) -> String {
        guard let index = names.firstIndex(of: name), values.indices.contains(index) else { return "" }
        return values[index]
    }
}
