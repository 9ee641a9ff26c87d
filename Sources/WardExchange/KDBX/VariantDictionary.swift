/// The named values in the header of a KDBX 4 file.
struct VariantDictionary {
    /// A value.
    enum Value: Hashable {
        case uint32(UInt32)
        case uint64(UInt64)
        case bytes([UInt8])
        /// A value of a type that the key derivation does not use: the type and the bytes.
        case other(UInt8, [UInt8])
    }

    private(set) var values: [String: Value] = [:]

    init(_ values: [String: Value]) { self.values = values }

    init(_ bytes: ArraySlice<UInt8>) throws(ImportError) {
        var reader = LittleEndianReader(bytes, "the table of values in the header")
        guard try reader.number(UInt16.self) >> 8 == 1 else {
            throw ImportError(.unsupported, "the header has a table of values of an unknown version")
        }
        while true {
            let type = try reader.number(UInt8.self)
            if type == 0 { return }
            let name = String(decoding: try reader.take(reader.number(Int32.self)), as: UTF8.self)
            let value = try reader.take(reader.number(Int32.self))
            switch (type, value.count) {
            case (0x04, 4): values[name] = .uint32(LittleEndianReader.number(value))
            case (0x05, 8): values[name] = .uint64(LittleEndianReader.number(value))
            case (0x42, _): values[name] = .bytes(Array(value))
            default: values[name] = .other(type, Array(value))
            }
        }
    }

    /// A number of either size.
    func number(_ name: String) -> UInt64? {
        switch values[name] {
        case .uint32(let value): UInt64(value)
        case .uint64(let value): value
        default: nil
        }
    }

    /// A byte string.
    func bytes(_ name: String) -> [UInt8]? {
        if case .bytes(let value) = values[name] { value } else { nil }
    }

    /// The form in the file.
    var encoded: [UInt8] {
        var encoded = UInt16(0x0100).littleEndianBytes
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let (type, bytes): (UInt8, [UInt8]) =
                switch value {
                case .uint32(let number): (0x04, number.littleEndianBytes)
                case .uint64(let number): (0x05, number.littleEndianBytes)
                case .bytes(let bytes): (0x42, bytes)
                case .other(let type, let bytes): (type, bytes)
                }
            encoded.append(type)
            encoded += Int32(name.utf8.count).littleEndianBytes + Array(name.utf8)
            encoded += Int32(bytes.count).littleEndianBytes + bytes
        }
        return encoded + [0]
    }
}
