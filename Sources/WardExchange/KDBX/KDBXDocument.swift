/// The content of a KDBX file before it becomes items.
struct KDBXDocument {
    /// An entry, or an earlier state of one.
    struct Entry {
        struct Text {
            var key = ""
            var value = ""
            var isProtected = false
        }

        var uuid: [UInt8] = []
        var texts: [Text] = []
        /// The names of the attached files, with the references to their contents.
        var files: [(name: String, reference: String)] = []
        var tags = ""
        var createdAt: Int64?
        var modifiedAt: Int64?
        var expiresAt: Int64?
        var expires = false
        /// The earlier states, in the order of the file.
        var history: [Entry] = []
        /// The names of the groups around the entry, without the first one.
        var groups: [String] = []

        /// The value of the first text with a key; empty if there is none.
        subscript(key: String) -> String { texts.first { $0.key == key }?.value ?? "" }
    }

    /// The entries outside of the recycle bin.
    var entries: [Entry] = []
    /// The number of entries in the recycle bin.
    var recycled = 0
    /// The program that wrote the file.
    var generator = ""
    /// In version 3: the hash of the header, in base64.
    var headerHash = ""
    /// The contents of attached files, by their reference.
    var files: [String: [UInt8]] = [:]
}

extension KDBXDocument {
    /// The maximum number of elements inside of each other: groups have one level each.
    static let maximumDepth = 128

    /// Reads the XML of a file.
    ///
    /// - Parameters:
    ///   - xml: The document.
    ///   - stream: The stream that hides single values.
    ///   - files: In version 4: the contents of attached files.
    /// - Throws: ``ImportError`` with `malformed` or `tooLarge`.
    init(xml: ArraySlice<UInt8>, stream: KDBXInnerStream, files: [[UInt8]]) throws(ImportError) {
        let reading = KDBXDocumentReading(stream)
        try XMLReader.read(xml, maximumDepth: Self.maximumDepth, to: reading)
        guard reading.isComplete else {
            throw ImportError(.malformed, "the XML of the file is not that of KeePass")
        }
        self = reading.document
        for (index, file) in files.enumerated() { self.files[String(index)] = file }
    }
}
