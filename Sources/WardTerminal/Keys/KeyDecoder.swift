/// Decodes keys from the bytes of a terminal, in pieces of any size.
///
/// The sequences are defined in ECMA-48, section 5.4, and in xterm's [control
/// sequences](https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). An unknown sequence is skipped as a whole, so
/// that no part of it counts as typed text.
package struct KeyDecoder: Sendable {
    /// The maximum number of bytes of one paste.
    ///
    /// Further bytes are dropped.
    package static var maximumPaste: Int { 65_536 }
    private static var maximumSequence: Int { 32 }
    private static let pasteEnd: [UInt8] = Array("\u{1b}[201~".utf8)

    private var pending: [UInt8] = []
    private var paste: [UInt8]?

    /// Creates a decoder without pending bytes.
    package init() {}

    /// Whether an Escape is pending that may be the start of a sequence.
    package var isWaiting: Bool { paste == nil && !pending.isEmpty }

    /// The keys that are complete after these bytes.
    package mutating func keys(from bytes: some Sequence<UInt8>) -> [TerminalKey] {
        pending += bytes
        var keys: [TerminalKey] = []
        while !pending.isEmpty {
            if paste != nil {
                guard let key = pasted() else { break }
                keys.append(key)
                continue
            }
            guard let (key, count) = first() else { break }
            pending.removeFirst(count)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Called after a short pause: a pending Escape was the key itself.
    package mutating func timeOut() -> [TerminalKey] {
        guard isWaiting else { return [] }
        let isEscape = pending == [0x1b]
        pending = []
        return isEscape ? [.escape] : []
    }

    // MARK: Pastes

    private mutating func pasted() -> TerminalKey? {
        var text = paste ?? []
        let end = pending.firstRange(of: Self.pasteEnd)
        // The last bytes may be the start of the marker that ends a paste.
        let taken = end?.lowerBound ?? max(0, pending.count - (Self.pasteEnd.count - 1))
        text += pending.prefix(min(taken, Self.maximumPaste - text.count))
        pending.removeFirst(end?.upperBound ?? taken)
        paste = end == nil ? text : nil
        return end == nil ? nil : .paste(String(decoding: text, as: UTF8.self))
    }

    // MARK: One key

    /// The first key and its length in bytes; no key if the bytes have no meaning; `nil` if bytes are missing.
    private mutating func first() -> (TerminalKey?, Int)? {
        let byte = pending[0]
        switch byte {
        case 0x1b: return escaped()
        case 0..<0x20, 0x7f: return (Self.control(byte), 1)
        default: return scalar(at: 0)
        }
    }

    private static func control(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7f: .backspace
        case 0x09: .tab
        case 0x0a, 0x0d: .enter
        case 0x0b: .deleteToEnd
        case 0x0c: .redraw
        case 0x0e: .down
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        case 0x1a: .suspend
        default: nil
        }
    }

    private func scalar(at start: Int) -> (TerminalKey?, Int)? {
        let count =
            switch pending[start] {
            case 0..<0x80: 1
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        guard count > 0 else { return (nil, 1) }
        let bytes = pending[start...].prefix(count)
        guard bytes.dropFirst().allSatisfy({ $0 & 0xc0 == 0x80 }) else { return (nil, 1) }
        guard bytes.count == count else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { return (nil, 1) }
        return (.text(text), count)
    }

    private mutating func escaped() -> (TerminalKey?, Int)? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case 0x5b: return sequence()
        case 0x4f:
            guard pending.count > 2 else { return nil }
            return (Self.arrow(pending[2], isModified: false), 3)
        case 0x62: return (.wordLeft, 2)
        case 0x66: return (.wordRight, 2)
        case 0x08, 0x7f: return (.deleteWord, 2)
        // The key Escape, followed by another key.
        default: return (.escape, 1)
        }
    }

    /// The sequence `ESC [`, parameters, and one final byte.
    private mutating func sequence() -> (TerminalKey?, Int)? {
        let body = pending.dropFirst(2)
        guard let end = body.firstIndex(where: { !(0x20...0x3f).contains($0) }) else {
            return body.count > Self.maximumSequence ? (nil, pending.count) : nil
        }
        let (final, count) = (pending[end], end + 1)
        guard (0x40...0x7e).contains(final) else { return (nil, end) }
        let numbers = String(decoding: body[..<end], as: UTF8.self).split(separator: ";").map { Int($0) ?? 0 }
        guard final == 0x7e else { return (Self.arrow(final, isModified: numbers.count > 1 && numbers[1] > 2), count) }
        switch numbers.first {
        case 1, 7: return (.home, count)
        case 4, 8: return (.end, count)
        case 3: return (.delete, count)
        case 200:
            paste = []
            return (nil, count)
        default: return (nil, count)
        }
    }

    private static func arrow(_ final: UInt8, isModified: Bool) -> TerminalKey? {
        switch final {
        case 0x41: .up
        case 0x42: .down
        case 0x43: isModified ? .wordRight : .right
        case 0x44: isModified ? .wordLeft : .left
        case 0x46: .end
        case 0x48: .home
        case 0x5a: .backTab
        default: nil
        }
    }
}
