internal import WardCBOR

extension CBORRules {
    /// Rules for CTAP messages: CTAP2 canonical CBOR with eight levels.
    ///
    /// Attestation statements and the inputs of `prf` need more than four levels. Authenticators need to accept only
    /// four (CTAP 2.3, section 8, Message Encoding), so messages that Ward sends stay within four.
    static let ctapMessage = CBORRules(maximumDepth: 8, maximumItems: 8_192, maximumLength: 65_536)
}

extension CTAPStatus {
    /// The status for CBOR that is malformed.
    init(_ error: CBORError) {
        switch error.code {
        case .tooManyItems, .tooLong: self = .limitExceeded
        default: self = .invalidCBOR
        }
    }
}

/// The parameters of one message.
///
/// Values are taken out one by one; the parameters that were not taken remain in ``rest``.
struct MessageReader {
    private var fields: CBORFields

    /// Reads bytes that must be exactly one map.
    init(_ bytes: [UInt8]) throws(CTAPStatus) {
        guard bytes.count <= 1 << 20 else { throw .requestTooLarge }
        let value: CBORValue
        do {
            value = try CBORValue.decode(bytes, rules: .ctapMessage)
        } catch {
            throw CTAPStatus(error)
        }
        try self.init(value)
    }

    /// Reads a map that is part of a message.
    init(_ value: CBORValue) throws(CTAPStatus) {
        guard let fields = CBORFields(value) else { throw .cborUnexpectedType }
        self.fields = fields
    }

    /// The parameters that were not taken.
    var rest: [CBORPair] { fields.rest }

    /// Takes the value of a key, of any type.
    mutating func take(_ key: CBORValue) -> CBORValue? { fields.take(key) }

    // MARK: By type

    mutating func value<Value>(
        _ key: CBORValue,
        _ read: (CBORValue) throws(CTAPStatus) -> Value
    ) throws(CTAPStatus) -> Value? {
        guard let value = take(key) else { return nil }
        return try read(value)
    }

    mutating func required<Value>(
        _ key: CBORValue,
        _ read: (CBORValue) throws(CTAPStatus) -> Value
    ) throws(CTAPStatus) -> Value {
        guard let value = take(key) else { throw .missingParameter }
        return try read(value)
    }

    mutating func list<Element>(
        _ key: CBORValue,
        _ read: (CBORValue) throws(CTAPStatus) -> Element
    ) throws(CTAPStatus) -> [Element]? {
        guard let value = take(key) else { return nil }
        guard case .array(let elements) = value else { throw .cborUnexpectedType }
        var list: [Element] = []
        list.reserveCapacity(elements.count)
        for element in elements { list.append(try read(element)) }
        return list
    }
}

extension CBORValue {
    // The required type of a parameter. A value of another type causes CTAP2_ERR_CBOR_UNEXPECTED_TYPE.

    func asBytes() throws(CTAPStatus) -> [UInt8] {
        guard case .bytes(let bytes) = self else { throw .cborUnexpectedType }
        return bytes
    }

    func asText() throws(CTAPStatus) -> String {
        guard case .text(let text) = self else { throw .cborUnexpectedType }
        return text
    }

    func asBool() throws(CTAPStatus) -> Bool {
        guard case .bool(let bool) = self else { throw .cborUnexpectedType }
        return bool
    }

    /// A non-negative integer that fits `Int`.
    func asCount() throws(CTAPStatus) -> Int {
        guard case .unsigned(let number) = self else { throw .cborUnexpectedType }
        guard let count = Int(exactly: number) else { throw .limitExceeded }
        return count
    }

    func asUnsigned() throws(CTAPStatus) -> UInt64 {
        guard case .unsigned(let number) = self else { throw .cborUnexpectedType }
        return number
    }

    func asMap() throws(CTAPStatus) -> CBORValue {
        guard case .map = self else { throw .cborUnexpectedType }
        return self
    }

    /// The hash of client data: SHA-256.
    func asHash() throws(CTAPStatus) -> [UInt8] {
        let bytes = try asBytes()
        guard bytes.count == 32 else { throw .invalidLength }
        return bytes
    }
}

/// Collects the parameters of one message.
///
/// Absent and empty values are left out.
struct MessageWriter {
    private var fields: CBORFields

    /// Starts with the unknown parameters of a decoded message.
    init(_ unknown: [CBORPair] = []) { fields = CBORFields(keeping: unknown) }

    mutating func put(_ key: CBORValue, _ value: CBORValue?) { fields.put(key, value) }

    mutating func put<Element>(_ key: CBORValue, _ list: [Element], _ encode: (Element) -> CBORValue) {
        if !list.isEmpty { put(key, .array(list.map(encode))) }
    }

    /// The map; it is sorted when it is encoded.
    var value: CBORValue { fields.value }
    /// The message in canonical form.
    var bytes: [UInt8] { fields.encoded }
}
