internal import WardText

/// Values that are taken from another entry: `{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}`.
///
/// KeePass and KeePassXC write them for copies of an entry. Only references by the entry's ID are followed; others stay as text.
struct KDBXReferences {
    private let entries: [String: KDBXDocument.Entry]
    /// How many references in a row are followed.
    private static let maximumSteps = 4
    private static let begin = "{REF:"
    private static let fields: [Character: String] = [
        "T": "Title", "U": "UserName", "P": "Password", "A": "URL", "N": "Notes",
    ]

    init(_ entries: [KDBXDocument.Entry]) {
        self.entries = Dictionary(
            entries.map { (Hex.encode($0.uuid, uppercase: true), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The entry with the values that its references point to.
    func resolved(_ entry: KDBXDocument.Entry) -> KDBXDocument.Entry {
        var entry = entry
        for index in entry.texts.indices {
            entry.texts[index].value = value(entry.texts[index].value, Self.maximumSteps)
        }
        return entry
    }

    /// A value that is one reference as a whole is replaced; so a value cannot grow with each step.
    private func value(_ text: String, _ steps: Int) -> String {
        guard steps > 0, text.hasPrefix(Self.begin), text.hasSuffix("}"), text.utf8.count == Self.begin.utf8.count + 37
        else { return text }
        let parts = Array(text.dropFirst(Self.begin.count).dropLast())
        guard parts.count == 36, parts[1] == "@", parts[2] == "I", parts[3] == ":",
            let name = Self.fields[parts[0]], let target = entries[String(parts[4...]).uppercased()]
        else { return text }
        return value(target[name], steps - 1)
    }
}
