internal import WardVault

extension ImportFormat {
    /// A text file with `otpauth` links, and with the transfers of phones (`otpauth-migration`).
    static let otpauth = ImportFormat(id: "otpauth", title: "otpauth links") { source in
        var text = source.bytes[...]
        while let byte = text.first, byte <= 0x20 { text = text.dropFirst() }
        let start = String(decoding: text.prefix(20), as: UTF8.self).lowercased()
        return start.hasPrefix("otpauth:") || start.hasPrefix("otpauth-migration:")
    } read: { (source) throws(ImportError) in
        guard let text = String(validating: source.bytes, as: UTF8.self) else {
            throw ImportError(.malformed, "the file is not text")
        }
        var file = ImportedFile()
        var parts: [Int32: (found: Set<Int>, count: Int)] = [:]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() where line.contains(where: { !$0.isWhitespace }) {
            let place = "line \(number + 1)"
            do throws(OneTimePasswordError) {
                if line.lowercased().contains("otpauth-migration:") {
                    let batch = try OneTimePasswordBatch(String(line))
                    parts[batch.id, default: ([], batch.count)].found.insert(batch.index)
                    for code in batch.codes { file.items.append(item(code, place, source.now)) }
                    for refused in batch.refused {
                        let reason = "a code of the transfer is left out: \(refused.reason)"
                        file.notices.append(ImportNotice(place: ItemTitle.clean(refused.name), .skipped, reason))
                    }
                } else {
                    file.items.append(item(try OneTimePassword(String(line)), place, source.now))
                }
            } catch {
                file.notices.append(ImportNotice(place: place, .skipped, "the line is left out: \(error)"))
            }
            guard file.items.count <= ImportSource.maximumItems else { break }
        }
        for part in parts.values where part.found.count < part.count {
            let text = "the transfer has \(part.count) QR codes, and \(part.found.count) are in the file"
            file.notices.append(ImportNotice(place: "the transfer", .skipped, text))
        }
        guard !file.items.isEmpty else {
            throw ImportError(.malformed, "the file has no otpauth link that can be read")
        }
        return file
    }

    private static func item(_ code: OneTimePassword, _ place: String, _ now: Int64) -> Item {
        var draft = ItemDraft(title: code.issuer, fallback: "Code of \(place)", now: now)
        draft.username = code.account
        draft.codes = [code]
        return draft.finished()
    }
}
