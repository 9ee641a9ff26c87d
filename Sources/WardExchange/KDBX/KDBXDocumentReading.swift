internal import WardText

/// Collects a ``KDBXDocument`` from the elements of its XML.
final class KDBXDocumentReading: XMLHandler {
    private struct Group {
        var name = ""
        var isRecycled = false
    }

    private(set) var document = KDBXDocument()
    /// Whether the elements of every KeePass file were there.
    private(set) var isComplete = false
    private var stream: KDBXInnerStream
    /// The contents of files in version 3, counted against one limit.
    private var fileSize = 0
    private var isBinEnabled = false
    private var binID: [UInt8] = []
    private var groups: [Group] = []
    /// An entry, and while its history is read the earlier state.
    private var entries: [KDBXDocument.Entry] = []
    private var text = KDBXDocument.Entry.Text()
    private var file = (name: "", reference: "")
    private var attributes: [String: String] = [:]

    init(_ stream: KDBXInnerStream) { self.stream = stream }

    func begin(_ path: [String], _ attributes: [String: String]) throws(ImportError) {
        self.attributes = attributes
        let parent = path.dropLast().last
        switch path.last {
        case "KeePassFile": isComplete = path.count == 1
        case "Group" where parent == "Root" || parent == "Group":
            groups.append(Group(isRecycled: groups.last?.isRecycled ?? false))
        case "Entry" where parent == "Group" && entries.isEmpty || parent == "History" && entries.count == 1:
            entries.append(KDBXDocument.Entry())
        case "Entry": throw ImportError(.malformed, "an entry of the file is in a place where entries cannot be")
        case "String": text = KDBXDocument.Entry.Text()
        case "Binary" where parent == "Entry": file = ("", "")
        case "Value" where parent == "Binary": file.reference = attributes["Ref"] ?? ""
        default: break
        }
    }

    func end(_ path: [String], _ bytes: [UInt8]) throws(ImportError) {
        guard let name = path.last else { return }
        let parent = path.dropLast().last
        // Hidden values share one stream, so each of them is read, also those that are not needed.
        let isHidden = attributes["Protected"]?.lowercased() == "true"
        let value = isHidden ? stream.next(try Self.base64(bytes)) : bytes
        switch parent {
        case "Meta": endMeta(name, value)
        case "Binaries": try endFile(name, value, isHidden: isHidden)
        case "Group" where name != "Entry" && name != "Group": endGroupPart(name, value)
        case "Entry": try endEntryPart(name, value)
        case "Times" where path.dropLast(2).last == "Entry": endTime(name, value)
        case "String":
            if name == "Key" { text.key = Self.string(value) }
            if name == "Value" {
                text.value = Self.string(value)
                text.isProtected = isHidden || attributes["ProtectInMemory"]?.lowercased() == "true"
            }
        case "Binary":
            if name == "Key" { file.name = Self.string(value) }
        case "History": endHistory(name)
        default: break
        }
        if name == "Group", parent == "Root" || parent == "Group" { _ = groups.popLast() }
        if name == "Entry", parent == "Group" { try endEntry() }
        attributes = [:]
    }

    private func endMeta(_ name: String, _ value: [UInt8]) {
        switch name {
        case "Generator": document.generator = Self.string(value)
        case "HeaderHash": document.headerHash = Self.string(value)
        case "RecycleBinEnabled": isBinEnabled = Self.string(value).lowercased() == "true"
        case "RecycleBinUUID": binID = (try? Self.base64(value)) ?? []
        default: break
        }
    }

    private func endFile(_ name: String, _ value: [UInt8], isHidden: Bool) throws(ImportError) {
        guard name == "Binary", let id = attributes["ID"] else { return }
        var content = isHidden ? value : try Self.base64(value)
        if attributes["Compressed"]?.lowercased() == "true" {
            content = try Deflate.decompress(
                content[...],
                .gzip,
                limit: KDBXFile.maximumContent - fileSize,
                name: "an attached file"
            )
        }
        fileSize += content.count
        document.files[id] = content
    }

    private func endGroupPart(_ name: String, _ value: [UInt8]) {
        guard let last = groups.indices.last else { return }
        if name == "Name" { groups[last].name = Self.string(value) }
        if name == "UUID", isBinEnabled, !binID.allSatisfy({ $0 == 0 }), (try? Self.base64(value)) == binID {
            groups[last].isRecycled = true
        }
    }

    private func endEntryPart(_ name: String, _ value: [UInt8]) throws(ImportError) {
        guard let last = entries.indices.last else { return }
        switch name {
        case "UUID": entries[last].uuid = (try? Self.base64(value)) ?? []
        case "Tags": entries[last].tags = Self.string(value)
        case "String": entries[last].texts.append(text)
        case "Binary": entries[last].files.append(file)
        default: break
        }
    }

    private func endTime(_ name: String, _ value: [UInt8]) {
        guard let last = entries.indices.last else { return }
        switch name {
        case "CreationTime": entries[last].createdAt = KDBXTime.seconds(Self.string(value))
        case "LastModificationTime": entries[last].modifiedAt = KDBXTime.seconds(Self.string(value))
        case "ExpiryTime": entries[last].expiresAt = KDBXTime.seconds(Self.string(value))
        case "Expires": entries[last].expires = Self.string(value).lowercased() == "true"
        default: break
        }
    }

    private func endHistory(_ name: String) {
        guard name == "Entry", entries.count == 2, let state = entries.popLast() else { return }
        entries[0].history.append(state)
    }

    private func endEntry() throws(ImportError) {
        guard var entry = entries.popLast() else { return }
        guard groups.last?.isRecycled != true else {
            document.recycled += 1
            return
        }
        guard document.entries.count < ImportSource.maximumItems else {
            throw ImportError(.tooLarge, "the file has more than \(ImportSource.maximumItems) entries")
        }
        entry.groups = groups.dropFirst().map(\.name)
        document.entries.append(entry)
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func base64(_ bytes: [UInt8]) throws(ImportError) -> [UInt8] {
        let text = string(bytes)
        guard let value = Base64.decode(text) ?? Base64.decode(lenient: text) else {
            throw ImportError(.malformed, "a value of the file is not base64")
        }
        return value
    }
}

/// The times in a KDBX file.
enum KDBXTime {
    /// The seconds from the year 1, with which version 4 counts, to 1970.
    private static let offset: Int64 = 62_135_596_800

    /// Seconds since 1970, or `nil` for a text of another form.
    static func seconds(_ text: String) -> Int64? {
        if text.contains("-"), text.contains("T") { return dateAndTime(text) }
        guard let bytes = Base64.decode(text), bytes.count == 8 else { return nil }
        let (seconds, overflow) = (LittleEndianReader.number(bytes) as Int64).subtractingReportingOverflow(offset)
        return overflow || abs(seconds) > 1 << 40 ? nil : seconds
    }

    /// The form in version 4.
    static func text(_ seconds: Int64) -> String {
        let (sum, overflow) = seconds.addingReportingOverflow(offset)
        return Base64.encode((overflow ? offset : sum).littleEndianBytes)
    }

    /// The day in UTC: `2026-11-23`.
    static func day(_ seconds: Int64) -> String {
        // The inverse of the days below.
        let days = (seconds - seconds.quotientAndRemainder(dividingBy: 86_400).remainder) / 86_400 + 719_468
        let era = days / 146_097
        let day = days % 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendar = (
            year: year + era * 400 + (month >= 10 ? 1 : 0), month: (month + 2) % 12 + 1,
            day: dayOfYear - (153 * month + 2) / 5 + 1
        )
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(calendar.year, 4))-\(padded(calendar.month, 2))-\(padded(calendar.day, 2))"
    }

    /// The form of version 3: `2026-11-23T20:15:00Z`.
    private static func dateAndTime(_ text: String) -> Int64? {
        let numbers = text.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).compactMap { Int64($0) }
        guard numbers.count >= 6, (1...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60
        else { return nil }
        // Days since 1970 in the Gregorian calendar, with years that begin in March.
        let year = numbers[1] <= 2 ? numbers[0] - 1 : numbers[0]
        let month = (numbers[1] + 9) % 12
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 1 - 719_468
        return days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    }
}
