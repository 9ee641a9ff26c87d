/// A value of MessagePack, as far as passkeys of Proton Pass need it.
indirect enum MessagePack {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case array([MessagePack])
    case map([(key: String, value: MessagePack)])

    private static let maximumDepth = 16
    private static let maximumItems = 8192

    /// Reads one whole value; `nil` for bytes that are not one, and for unusual or large ones.
    init?(_ bytes: [UInt8]) {
        var (rest, items) = (bytes[...], 0)
        guard let value = Self.read(&rest, depth: 0, &items), rest.isEmpty else { return nil }
        self = value
    }

    /// The value of a map's key.
    subscript(key: String) -> MessagePack? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    var textValue: String? { if case .text(let value) = self { value } else { nil } }
    var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    var arrayValue: [MessagePack]? { if case .array(let value) = self { value } else { nil } }
    var isNull: Bool { if case .null = self { true } else { false } }

    /// Bytes, or an array of numbers below 256.
    var bytesValue: [UInt8]? {
        switch self {
        case .bytes(let value): return value
        case .array(let elements):
            let bytes = elements.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
            return bytes.count == elements.count ? bytes : nil
        default: return nil
        }
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, depth: Int, _ items: inout Int) -> MessagePack? {
        items += 1
        guard depth <= maximumDepth, items <= maximumItems, let head = rest.popFirst() else { return nil }
        switch head {
        case 0x00...0x7f: return .integer(Int64(head))
        case 0xe0...0xff: return .integer(Int64(Int8(bitPattern: head)))
        case 0x80...0x8f: return map(Int(head & 0x0f), &rest, depth, &items)
        case 0x90...0x9f: return array(Int(head & 0x0f), &rest, depth, &items)
        case 0xa0...0xbf: return text(Int(head & 0x1f), &rest)
        case 0xc0: return .null
        case 0xc2, 0xc3: return .integer(Int64(head & 1))
        case 0xc4, 0xc5, 0xc6:
            guard let count = number(1 << (head - 0xc4), &rest) else { return nil }
            return take(Int(count), &rest).map { .bytes($0) }
        case 0xcc...0xcf:
            return number(1 << (head - 0xcc), &rest).flatMap { Int64(exactly: $0) }.map { .integer($0) }
        case 0xd0...0xd3:
            let size = 1 << (head - 0xd0)
            guard let raw = number(size, &rest) else { return nil }
            let unused = UInt64(64 - 8 * size)
            return .integer(Int64(bitPattern: raw << unused) >> Int64(unused))
        case 0xd9, 0xda, 0xdb: return number(1 << (head - 0xd9), &rest).flatMap { text(Int(clamping: $0), &rest) }
        case 0xdc, 0xdd:
            return number(head == 0xdc ? 2 : 4, &rest).flatMap { array(Int(clamping: $0), &rest, depth, &items) }
        case 0xde, 0xdf:
            return number(head == 0xde ? 2 : 4, &rest).flatMap { map(Int(clamping: $0), &rest, depth, &items) }
        default: return nil
        }
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func number(_ size: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        take(size, &rest).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private static func text(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> MessagePack? {
        take(count, &rest).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
    }

    private static func array(
        _ count: Int,
        _ rest: inout ArraySlice<UInt8>,
        _ depth: Int,
        _ items: inout Int
    ) -> MessagePack? {
        guard count <= rest.count else { return nil }
        var elements: [MessagePack] = []
        for _ in 0..<count {
            guard let element = read(&rest, depth: depth + 1, &items) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func map(
        _ count: Int,
        _ rest: inout ArraySlice<UInt8>,
        _ depth: Int,
        _ items: inout Int
    ) -> MessagePack? {
        guard count <= rest.count else { return nil }
        var pairs: [(key: String, value: MessagePack)] = []
        for _ in 0..<count {
            guard let key = read(&rest, depth: depth + 1, &items)?.textValue,
                let value = read(&rest, depth: depth + 1, &items)
            else { return nil }
            pairs.append((key, value))
        }
        return .map(pairs)
    }
}
