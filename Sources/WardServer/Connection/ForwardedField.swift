/// Reads the addresses in `Forwarded` ([RFC 7239](https://www.rfc-editor.org/rfc/rfc7239#section-4)) and in
/// `X-Forwarded-For`.
///
/// An entry that is not an address is `nil`.
enum ForwardedField {
    /// The `for` value of each element.
    ///
    /// The first one is the client's own claim.
    static func hops(_ fields: [String]) -> [IPAddress?] {
        fields.flatMap { field -> [IPAddress?] in
            // If a quoted string in the field does not end, the whole field is ignored.
            guard let elements = split(field, at: ",") else { return [nil] }
            return elements.map { element in
                let pairs = split(element, at: ";") ?? []
                let value = pairs.lazy.compactMap { pair -> String? in
                    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    guard parts.count == 2, parts[0].trimmingSpace().lowercased() == "for" else { return nil }
                    return unquoted(parts[1].trimmingSpace())
                }
                return value.first.flatMap { node($0[...]) }
            }
        }
    }

    /// The addresses of one `X-Forwarded-For` field.
    static func listed(_ field: String) -> [IPAddress?] {
        field.split(separator: ",", omittingEmptySubsequences: false).map { node($0.trimmingSpace()) }
    }

    /// An address, which may have a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func node(_ text: Substring) -> IPAddress? {
        if text.first == "[" {
            guard let end = text.lastIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(String(parts.count == 2 ? parts[0] : text))
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing("\\", with: "")
    }

    /// Splits a text outside of quoted strings, or returns `nil` if a quote does not end.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [String]? {
        var (parts, part) = ([String](), "")
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if character == separator, !isQuoted {
                parts.append(part)
                part = ""
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            part.append(character)
        }
        parts.append(part)
        return isQuoted ? nil : parts
    }
}
