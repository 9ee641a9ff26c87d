internal import WardCBOR
package import WardLog

/// Entries of a server, with their numbers, which follow each other.
package struct ServerPage: Sendable {
    /// An entry with the number that the server gave to it.
    package struct Numbered: Sendable {
        package let number: UInt64
        package let record: LogRecord
    }

    package let entries: [Numbered]
    /// The number of the vault's last entry.
    package let head: UInt64
    /// The name of the server's order.
    package let order: [UInt8]

    /// Reads an answer.
    ///
    /// Only the form is checked, and that nothing is left out: signatures and blobs are not.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - number: The number after which entries were asked for.
    ///   - limit: The number of entries that were asked for.
    /// - Throws: ``ServerError`` with `server_answer_wrong`.
    init(_ answer: ServerAnswer, after number: UInt64, limit: Int) throws(ServerError) {
        let wrong = ServerError(.wrongAnswer, status: answer.status)
        guard let head = answer.head, let order = answer.order, head >= number else { throw wrong }
        self.head = head
        self.order = order
        var read: [Numbered] = []
        let rules = CBORRules(
            maximumDepth: 1,
            maximumItems: 4 * (limit + 1),
            maximumLength: LogRecord.maximumBlob
        )
        let input = answer.body.span
        var reader = CBORReader(rules: rules)
        do {
            while reader.offset < input.count {
                let next = try Self.read(&reader, input)
                guard next.number == number + UInt64(read.count) + 1, next.number <= head, read.count < limit else {
                    throw wrong
                }
                read.append(next)
            }
        } catch let error as CBORError where error.code == .truncated && answer.isCut && !read.isEmpty {
            // What follows is asked for next.
        } catch {
            throw wrong
        }
        let isWhole = read.count == limit || number + UInt64(read.count) == head
        guard isWhole || answer.isCut && !read.isEmpty else { throw wrong }
        entries = read
    }

    private static func read(_ reader: inout CBORReader, _ input: Span<UInt8>) throws -> Numbered {
        var array = try reader.readArray(input)
        guard array.count == 3 else { throw LogError.malformed("not a record") }
        _ = try reader.nextElement(&array, input)
        let number = try reader.readInteger(input)
        guard number > 0 else { throw LogError.malformed("not a number") }
        _ = try reader.nextElement(&array, input)
        let entry = try SignedEntry(encoded: CBORReader.copy(try reader.readBytes(input), of: input))
        _ = try reader.nextElement(&array, input)
        var blob: [UInt8]?
        if try reader.peekType(input) == .null {
            try reader.readNull(input)
        } else {
            blob = CBORReader.copy(try reader.readBytes(input), of: input)
        }
        _ = try reader.nextElement(&array, input)
        return Numbered(number: UInt64(number), record: LogRecord(entry: entry, blob: blob))
    }
}
