internal import WardCBOR

/// Reads values of exact types from the body of an operation.
struct OperationReader {
    let body: CBORValue

    static var malformed: LogError { .malformed("an entry of the log is malformed") }

    func value(_ key: Int) throws(LogError) -> CBORValue {
        guard let value = body[key] else { throw Self.malformed }
        return value
    }

    func unsigned(_ key: Int) throws(LogError) -> UInt64 {
        guard case .unsigned(let value) = body[key] else { throw Self.malformed }
        return value
    }

    func bytes(_ key: Int, count: Int) throws(LogError) -> [UInt8] {
        guard let value = body[key]?.bytesValue, value.count == count else { throw Self.malformed }
        return value
    }

    func bytes(_ key: Int, upTo limit: Int) throws(LogError) -> [UInt8] {
        guard let value = body[key]?.bytesValue, value.count <= limit else { throw Self.malformed }
        return value
    }

    func item(_ key: Int) throws(LogError) -> LogItemID {
        guard let id = LogItemID(try bytes(key, count: LogItemID.length)) else { throw Self.malformed }
        return id
    }

    func hashes(_ key: Int) throws(LogError) -> [[UInt8]] {
        guard let values = body[key]?.arrayValue else { throw Self.malformed }
        return try values.map { (value) throws(LogError) in
            guard let hash = value.bytesValue, hash.count == LogEntry.hashLength else { throw Self.malformed }
            return hash
        }
    }

    /// An array whose elements are in the order of a name, each name once.
    func ordered<Element>(
        _ key: Int,
        by name: (Element) -> [UInt8],
        _ element: (CBORValue) throws(LogError) -> Element
    ) throws(LogError) -> [Element] {
        guard let values = body[key]?.arrayValue else { throw Self.malformed }
        let elements = try values.map(element)
        guard zip(elements, elements.dropFirst()).allSatisfy({ name($0).lexicographicallyPrecedes(name($1)) }) else {
            throw Self.malformed
        }
        return elements
    }
}
