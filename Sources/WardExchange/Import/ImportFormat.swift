/// A format that Ward reads.
///
/// Each format is in a file of its own and is one value of this type.
public struct ImportFormat: Sendable, Identifiable {
    /// The word for the format on the command line: `bitwarden-json`.
    public let id: String
    /// The name that people know: `Bitwarden (JSON)`.
    public let title: String
    /// Whether a file looks like this format.
    ///
    /// It reads only the beginning where that is enough, and never throws.
    let recognizes: @Sendable (ImportSource) -> Bool
    /// Reads a whole file: everything or nothing.
    let read: @Sendable (ImportSource) throws(ImportError) -> ImportedFile

    /// Every format.
    ///
    /// Those that recognize a file more exactly come first.
    public static let all: [ImportFormat] = [
        .kdbx,
        .age,
        .onePUX,
        .protonPass,
        .bitwardenJSON,
        .cxf,
        .aegis,
        .twoFAS,
        .otpauth,
        firefoxCSV,
        bitwardenCSV,
        nordPassCSV,
        dashlaneCSV,
        protonCSV,
        lastPassCSV,
        onePasswordCSV,
        keePassXCCSV,
        keePassCSV,
        roboFormCSV,
        strongboxCSV,
        safeInCloudCSV,
        chromeCSV,
        appleCSV,
        anyCSV,
    ]

    /// The format with a word, or `nil`.
    public static func named(_ id: String) -> ImportFormat? { all.first { $0.id == id } }

    /// The format of a file.
    ///
    /// - Throws: ``ImportError`` with `unknownFormat`, or `tooLarge`.
    public static func of(_ source: ImportSource) throws(ImportError) -> ImportFormat {
        try check(source)
        guard let format = all.first(where: { $0.recognizes(source) }) else {
            throw ImportError(.unknownFormat, "no known format matches this file. Name the format with --from")
        }
        return format
    }

    /// Reads a file in this format.
    ///
    /// - Returns: The items and notices of the whole file.
    /// - Throws: ``ImportError``. Nothing of a file that throws is imported.
    public func contents(of source: ImportSource) throws(ImportError) -> ImportedFile {
        try Self.check(source)
        let file = try read(source)
        guard file.items.count <= ImportSource.maximumItems else {
            throw ImportError(.tooLarge, "the file has more than \(ImportSource.maximumItems) items")
        }
        return file
    }

    private static func check(_ source: ImportSource) throws(ImportError) {
        guard source.bytes.count <= ImportSource.maximumSize else {
            throw ImportError(.tooLarge, "the file is larger than \(ImportSource.maximumSize >> 20) MiB")
        }
    }
}
