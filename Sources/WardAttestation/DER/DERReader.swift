/// Reads DER element by element, from untrusted bytes.
///
/// The reader is a cursor without the bytes, so every call takes the same input. It allocates nothing, cannot trap and does not
/// recurse. It accepts common mistakes of real certificates if they do not change the meaning, and records them in
/// ``deviations``. It refuses everything else that is not DER.
///
/// Ward has its own reader for two measured reasons. Reading one certificate of 580 bytes takes 22 µs with swift-certificates
/// and 7 µs with swift-asn1's nodes, while a whole registration takes 42 µs plus its two signatures. And both libraries refuse
/// TPM certificates that are in use.
///
/// X.690, sections 8 and 10.
struct DERReader {
    /// The position of the next byte.
    private(set) var offset: Int
    /// The end of the current container.
    private var end: Int
    /// The deviations from DER so far.
    var deviations: CertificateDeviations = []

    /// Reads the bytes of a range, limited to the input.
    init(_ range: Range<Int>, of input: Span<UInt8>) {
        end = min(max(range.upperBound, 0), input.count)
        offset = min(max(range.lowerBound, 0), end)
    }

    /// Reads the whole input.
    init(_ input: Span<UInt8>) {
        self.init(0..<input.count, of: input)
    }

    /// Whether the container has no bytes left.
    var isAtEnd: Bool { offset >= end }

    // MARK: Elements

    /// Reads the next element of any kind.
    mutating func read(_ input: Span<UInt8>) throws(CertificateError) -> DERElement {
        let start = offset
        let tag = try readTag(input)
        let length = try readLength(input)
        guard length <= end - offset else { throw .malformed("an element is longer than its container", at: start) }
        let contents = offset..<(offset + length)
        offset = contents.upperBound
        return DERElement(tag: tag, whole: start..<contents.upperBound, contents: contents)
    }

    /// Reads an element of one kind and returns the position of its contents.
    mutating func read(_ tag: DERTag, _ input: Span<UInt8>) throws(CertificateError) -> Range<Int> {
        let start = offset
        let element = try read(input)
        guard element.tag == tag else { throw .malformed("expected \(tag), found \(element.tag)", at: start) }
        return element.contents
    }

    /// Reads an element if it has the tag; otherwise reads nothing.
    mutating func readIfPresent(_ tag: DERTag, _ input: Span<UInt8>) throws(CertificateError) -> Range<Int>? {
        guard try next(input) == tag else { return nil }
        return try read(input).contents
    }

    /// The kind of the next element without reading it, or `nil` at the end.
    func next(_ input: Span<UInt8>) throws(CertificateError) -> DERTag? {
        guard !isAtEnd else { return nil }
        var copy = self
        return try copy.readTag(input)
    }

    // MARK: Containers

    /// Enters an element and returns the value for ``leave(_:)``.
    mutating func enter(_ tag: DERTag, _ input: Span<UInt8>) throws(CertificateError) -> Int {
        let outer = end
        let contents = try read(tag, input)
        offset = contents.lowerBound
        end = contents.upperBound
        return outer
    }

    /// Leaves an element, and throws if some of its bytes were not read.
    mutating func leave(_ outer: Int) throws(CertificateError) {
        guard offset == end else { throw .malformed("\(end - offset) surplus bytes", at: offset) }
        end = outer
    }

    // MARK: Values

    /// Reads a signed INTEGER of at most eight bytes.
    mutating func readInteger(_ input: Span<UInt8>, _ tag: DERTag = .integer) throws(CertificateError) -> Int64 {
        let contents = try readIntegerBytes(input, tag)
        guard contents.count <= 8 else {
            throw .malformed("an integer is \(contents.count) bytes", at: contents.lowerBound)
        }
        var value: Int64 = input[contents.lowerBound] >= 0x80 ? -1 : 0
        for index in contents { value = value << 8 | Int64(input[index]) }
        return value
    }

    /// Reads an INTEGER of any length.
    mutating func readIntegerBytes(
        _ input: Span<UInt8>,
        _ tag: DERTag = .integer
    ) throws(CertificateError) -> Range<Int> {
        let contents = try read(tag, input)
        guard !contents.isEmpty else { throw .malformed("an integer has no bytes", at: contents.lowerBound) }
        if contents.count > 1 {
            let (first, second) = (input[contents.lowerBound], input[contents.lowerBound + 1])
            if first == 0 && second < 0x80 || first == 0xff && second >= 0x80 { deviations.insert(.longIntegers) }
        }
        return contents
    }

    /// Reads a BOOLEAN; any byte other than zero is true.
    mutating func readBoolean(_ input: Span<UInt8>) throws(CertificateError) -> Bool {
        let contents = try read(.boolean, input)
        guard contents.count == 1 else {
            throw .malformed("a boolean of \(contents.count) bytes", at: contents.lowerBound)
        }
        let byte = input[contents.lowerBound]
        if byte != 0 && byte != 0xff { deviations.insert(.looseBooleans) }
        return byte != 0
    }

    /// Reads a BIT STRING and returns its bytes and the number of unused bits in the last one.
    mutating func readBits(_ input: Span<UInt8>) throws(CertificateError) -> (bytes: Range<Int>, unused: UInt8) {
        let contents = try read(.bitString, input)
        guard !contents.isEmpty, input[contents.lowerBound] < 8 || contents.count > 1 else {
            throw .malformed("a bit string lacks the byte that counts its unused bits", at: contents.lowerBound)
        }
        return (contents.lowerBound + 1..<contents.upperBound, input[contents.lowerBound])
    }

    /// Reads an OBJECT IDENTIFIER and returns the position of its bytes.
    mutating func readObjectIdentifier(_ input: Span<UInt8>) throws(CertificateError) -> Range<Int> {
        let contents = try read(.objectIdentifier, input)
        guard let last = contents.last, input[last] < 0x80 else {
            throw .malformed("an object identifier ends too early", at: contents.lowerBound)
        }
        return contents
    }

    // MARK: Heads

    /// Reads a tag of up to three further bytes; Android's numbers need fewer.
    private mutating func readTag(_ input: Span<UInt8>) throws(CertificateError) -> DERTag {
        let start = offset
        guard offset < end else { throw .malformed("the input ends too early", at: offset) }
        let first = input[offset]
        offset += 1
        guard first & 0x1f == 0x1f else { return DERTag(rawValue: UInt32(first)) }
        var number: UInt32 = 0
        for _ in 0..<3 {
            guard offset < end else { throw .malformed("a tag is truncated", at: start) }
            let byte = input[offset]
            offset += 1
            number = number << 7 | UInt32(byte & 0x7f)
            guard number > 0 else { throw .malformed("a tag number begins with zero", at: start) }
            if byte < 0x80 {
                guard number > 30 else { throw .malformed("a tag number is longer than needed", at: start) }
                return DERTag(rawValue: UInt32(first) << 24 | number)
            }
        }
        throw .malformed("a tag number has more than three bytes", at: start)
    }

    /// Reads a length.
    ///
    /// The tag number may be longer than needed. A length must not be indefinite.
    private mutating func readLength(_ input: Span<UInt8>) throws(CertificateError) -> Int {
        let start = offset
        guard offset < end else { throw .malformed("a length is missing", at: start) }
        let first = input[offset]
        offset += 1
        guard first >= 0x80 else { return Int(first) }
        let width = Int(first & 0x7f)
        guard (1...4).contains(width), width <= end - offset else {
            throw .malformed("a length is indefinite", at: start)
        }
        var length = 0
        for _ in 0..<width {
            length = length << 8 | Int(input[offset])
            offset += 1
        }
        if length < 0x80 || width > 1 && length >> (8 * (width - 1)) == 0 { deviations.insert(.longLengths) }
        return length
    }
}

/// An element and its position.
struct DERElement {
    let tag: DERTag
    /// The range with tag and length.
    let whole: Range<Int>
    /// The range without them.
    let contents: Range<Int>
}

/// The kind of an element: its first byte.
///
/// For tag numbers above 30, this byte is in the highest place and the number is in the other places.
struct DERTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    let rawValue: UInt32

    static let boolean = DERTag(rawValue: 0x01)
    static let integer = DERTag(rawValue: 0x02)
    static let bitString = DERTag(rawValue: 0x03)
    static let octetString = DERTag(rawValue: 0x04)
    static let null = DERTag(rawValue: 0x05)
    static let objectIdentifier = DERTag(rawValue: 0x06)
    static let enumerated = DERTag(rawValue: 0x0a)
    static let utcTime = DERTag(rawValue: 0x17)
    static let generalizedTime = DERTag(rawValue: 0x18)
    static let sequence = DERTag(rawValue: 0x30)
    static let set = DERTag(rawValue: 0x31)

    /// A constructed, context-specific tag, for EXPLICIT tagging.
    static func explicit(_ number: UInt32) -> DERTag {
        number < 31 ? DERTag(rawValue: 0xa0 | number) : DERTag(rawValue: 0xbf << 24 | number)
    }

    /// A primitive, context-specific tag, for IMPLICIT tagging.
    static func implicit(_ number: UInt32) -> DERTag { DERTag(rawValue: 0x80 | number & 0x1f) }

    /// The number of a constructed, context-specific tag.
    var explicitNumber: UInt32? {
        if rawValue & 0xffff_ffe0 == 0xa0 { return rawValue & 0x1f }
        return rawValue >> 24 == 0xbf ? rawValue & 0xff_ffff : nil
    }

    var description: String {
        rawValue <= 0xff ? "tag 0x" + String(rawValue, radix: 16) : "tag [\(rawValue & 0xff_ffff)]"
    }
}
