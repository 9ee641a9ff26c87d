internal import WardText

extension OptionsRepairer {
    // // MARK: Numbers and booleans

    /// A whole number in any notation, or `nil`.
    mutating func integer(_ value: JSONValue, _ path: String) -> Int64? {
        switch value {
        case .integer(let integer): return integer
        case .number(let number):
            guard let integer = Int64(exactly: number) else { return nil }
            note(path, .fractionForNumber)
            return integer
        case .string(let text):
            guard text.utf8.count <= 32 else { return nil }
            guard let integer = Int64(text) ?? Double(text).flatMap(Int64.init(exactly:)) else { return nil }
            note(path, .textForNumber)
            return integer
        default: return nil
        }
    }

    /// The page's timeout in milliseconds.
    ///
    /// A malformed timeout is ignored, because the client has its own limits.
    mutating func timeout(_ value: JSONValue) -> JSONValue? {
        var value = value
        // WebIDL drops the fraction.
        if case .number(let number) = value, number.magnitude < 9e15 { value = .number(number.rounded(.towardZero)) }
        guard let milliseconds = integer(value, "timeout"), milliseconds >= 0 else {
            note("timeout", .malformedHint)
            return nil
        }
        return .integer(milliseconds)
    }

    /// `true` and `false`, also as text and as 1 and 0.
    ///
    /// Any other value counts as absent.
    mutating func bool(_ value: JSONValue, _ path: String) -> JSONValue? {
        switch value {
        case .bool: return value
        case .integer(0), .integer(1):
            note(path, .numberForBoolean)
            return .bool(value == .integer(1))
        case .string(let text) where ["true", "false"].contains(text.lowercased()):
            note(path, .textForBoolean)
            return .bool(text.lowercased() == "true")
        default:
            note(path, .malformedHint)
            return nil
        }
    }

    // MARK: Text

    /// A text, or a number without quotes.
    mutating func text(_ value: JSONValue, _ path: String) -> JSONValue? {
        guard case .integer(let number) = value else { return value }
        note(path, .numberForText)
        return .string(String(number))
    }

    /// A value of an enumeration.
    ///
    /// Any other type counts as absent, like an unknown value.
    mutating func hint(_ value: JSONValue, _ path: String) -> JSONValue? {
        if case .string(let text) = value, !text.isEmpty { return value }
        note(path, .malformedHint)
        return nil
    }

    /// A list of texts; other elements are ignored.
    mutating func strings(_ value: JSONValue, _ path: String) -> JSONValue? {
        guard case .array(let elements) = value else {
            note(path, .malformedHint)
            return nil
        }
        let words = elements.filter { $0.stringValue != nil }
        if words.count != elements.count { note(path, .malformedHint) }
        return .array(words)
    }

    // MARK: Bytes

    /// Bytes as canonical base64url, from any notation.
    mutating func bytes(_ value: JSONValue, _ path: String) throws(ClientError) -> JSONValue {
        switch value {
        case .string(let text): return .string(try base64URL(text, path))
        case .array(let elements):
            note(path, .bytesAsArray)
            return .string(Base64URL.encode(try octets(elements, path)))
        case .object(let members):
            if value["type"]?.stringValue == "Buffer", members.count == 2, let data = value["data"]?.arrayValue {
                note(path, .bytesAsBuffer)
                return .string(Base64URL.encode(try octets(data, path)))
            }
            note(path, .bytesAsObject)
            return .string(Base64URL.encode(try octets(try indexed(members, path), path)))
        default: throw ClientError(.type, "\(path) must be base64url text")
        }
    }

    /// `{"0": …, "1": …}` in the order of its indices, each exactly once.
    private func indexed(_ members: [JSONValue.Member], _ path: String) throws(ClientError) -> [JSONValue] {
        var elements = [JSONValue?](repeating: nil, count: members.count)
        for member in members {
            guard let index = Int(member.name), String(index) == member.name, elements.indices.contains(index) else {
                throw ClientError(.type, "\(path) must be base64url text, or an object with the bytes by index")
            }
            elements[index] = member.value
        }
        return elements.compactMap { $0 }
    }

    /// Numbers from -128 to 255.
    ///
    /// Negative numbers are signed bytes of Java.
    private func octets(_ elements: [JSONValue], _ path: String) throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        for element in elements {
            guard case .integer(let number) = element, (-128...255).contains(number) else {
                throw ClientError(.type, "\(path) must contain numbers from -128 to 255")
            }
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        return bytes
    }

    /// Base64 of either alphabet, with or without padding and line breaks.
    ///
    /// Only unambiguous text is accepted: a mix of both alphabets, padding of the wrong length, and unused bits that are not
    /// zero are refused.
    private mutating func base64URL(_ text: String, _ path: String) throws(ClientError) -> String {
        if Base64URL.decode(text) != nil { return text }
        let refusal = ClientError(.encoding, "\(path) is not base64url")
        var digits = text.utf8.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        if digits.count != text.utf8.count { note(path, .whiteSpace) }
        let escaped = Array("\\u003d".utf8)
        var escapes = 0
        while digits.count >= escaped.count, digits.suffix(escaped.count).map(lowercased) == escaped, escapes < 3 {
            digits.removeLast(escaped.count)
            escapes += 1
        }
        if escapes > 0 { note(path, .escapedPadding) }
        var padding = escapes
        while digits.last == UInt8(ascii: "="), padding < 3 {
            digits.removeLast()
            padding += 1
        }
        if padding > 0 {
            // With three padding characters, one digit too many would remain. Decoding refuses that below.
            guard (digits.count + padding).isMultiple(of: 4) else { throw refusal }
            if escapes == 0 { note(path, .padding) }
        }
        let text = String(decoding: digits, as: UTF8.self)
        if Base64URL.decode(text) != nil { return text }
        guard let bytes = Base64.decode(text, padding: false) else { throw refusal }
        note(path, .base64Alphabet)
        return Base64URL.encode(bytes)
    }

    private func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
