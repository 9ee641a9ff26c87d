import Testing
import WardCBOR
import WardLog

/// What no device writes, and what a damaged file or a dishonest device may hold.
@Suite struct `Bytes of a log` {
    private let item = LogItemID.number(1)

    /// A revision that names another device's entry, as CBOR.
    private func written() throws -> CBORValue {
        let log = try LogFixture(devices: 2)
        try log[1].edit(item)
        try log.meet()
        let entry = try log[0].draft(.revision(log[0].revision(item)))
        #expect(entry.seen.count == 1)
        return try CBORValue.decode(entry.payload(), rules: .webAuthn)
    }

    @Test func `make an entry only with each value in its shape`() throws {
        let right = try written()
        _ = try LogEntry(payload: right.encoded())
        let seen = try #require(right[5]?.arrayValue?.first?.arrayValue)
        let revision = try #require(right[7])
        let changes: [(Int64, CBORValue)] = [
            (1, .bytes([UInt8](repeating: 1, count: 15))), (1, .bytes([UInt8](repeating: 1, count: 17))),
            (3, .bytes([UInt8](repeating: 1, count: 31))), (3, .bytes([UInt8](repeating: 1, count: 33))),
            (4, .unsigned(HybridTime.limit)),
            (5, [.array(seen + [.unsigned(1)])]),
            (5, [[seen[0], seen[1], .bytes([UInt8](repeating: 1, count: 31))]]),
            (5, [[.bytes([1]), seen[1], seen[2]]]),
            (7, revision.with(1, .bytes([UInt8](repeating: 1, count: 15)))),
            (7, revision.with(3, [.bytes([UInt8](repeating: 1, count: 33))])),
            (7, revision.with(5, .bytes([UInt8](repeating: 1, count: 31)))),
        ]
        for (key, value) in changes {
            #expect(throws: LogError.malformed("an entry of the log is malformed"), "\(key): \(value)") {
                try LogEntry(payload: right.with(key, value).encoded())
            }
        }
    }

    @Test func `make an entry only as two strings in one array that is short enough`() throws {
        let log = try LogFixture()
        let entry = try log[0].edit(item)
        let strings = Array(entry.encoded.dropFirst())
        for head in [0x80, 0x81, 0x83] as [UInt8] {
            #expect(throws: LogError.self, "head \(head)") { _ = try SignedEntry(encoded: [head] + strings).hash }
        }
        for signature in [Array(entry.signature.dropLast()), entry.signature + [0]] {
            let other = SignedEntry(entry: entry.entry, payload: entry.payload, signature: signature)
            #expect(throws: LogError.malformed("an entry of the log was changed")) {
                _ = try SignedEntry(encoded: other.encoded).hash
            }
        }
        // Each string is short enough, and both together are too long.
        var long = entry.entry
        func pad(_ count: Int) { long.unknown = [CBORPair(key: 9, value: .bytes([UInt8](repeating: 0, count: count)))] }
        pad(60_000)
        pad(60_000 + LogEntry.maximumLength - 20 - long.payload().count)
        let encoded = log[0].signed(long).encoded
        #expect(encoded.count > LogEntry.maximumLength && long.payload().count == LogEntry.maximumLength - 20)
        let error = #expect(throws: LogError.self) { _ = try SignedEntry(encoded: encoded).hash }
        #expect(error == .malformed("an entry of the log was changed"))
    }

    /// Anybody can write a tree of many small values, which would take many times the memory.
    @Test func `are kept as bytes where a later version wrote them`() throws {
        let log = try LogFixture()
        let many = CBORValue.array((UInt64(0)..<4_000).map { .unsigned($0 % 20) })
        let body = try SignedEntry(encoded: log[0].signed(log[0].draft(.unknown(99, [1: many]))).encoded)
        guard case .unknown(99, let later) = body.entry.operation else {
            Issue.record("\(body.entry.operation) is known")
            return
        }
        #expect(later.encoded.count < 4_010)
        #expect(later[1] == many && later.value == [1: many])
        var entry = try log[0].draft(.revision(log[0].revision(item)))
        let fields = [
            CBORPair(key: 99, value: many), CBORPair(key: -1, value: "text"), CBORPair(key: "a", value: [true]),
        ]
        entry.unknown = fields
        let field = try SignedEntry(encoded: log[0].signed(entry).encoded)
        let kept = try #require(field.entry.laterFields)
        #expect(kept.encoded.count < 4_030 && field.entry.unknown == fields)
        // Whoever writes them again writes the same bytes.
        for read in [body, field] { #expect(read.entry.payload() == read.payload) }
        entry.unknown = []
        #expect(entry.laterFields == nil)
    }

    @Test func `make an ID only with its exact length`() {
        for count in [0, 15, 17] {
            #expect(DeviceID([UInt8](repeating: 1, count: count)) == nil)
            #expect(LogItemID([UInt8](repeating: 1, count: count)) == nil)
        }
        for count in [0, 31, 33] { #expect(VaultID([UInt8](repeating: 1, count: count)) == nil) }
        #expect(DeviceID([UInt8](repeating: 1, count: 16)) != nil)
        #expect(VaultID([UInt8](repeating: 1, count: 32)) != nil)
    }

    @Test func `make a chain only with each device and each end in its shape`() throws {
        let log = try LogFixture(devices: 2)
        let right = LogChain(log[0].graph).cbor
        #expect(LogChain(right) == LogChain(log[0].graph))
        let device = try #require(right[7]?.arrayValue?.first?.arrayValue)
        let leaf = try #require(device[2].arrayValue?.first?.arrayValue)
        for wrong: CBORValue in [
            .array(device + [.null]),
            [device[0], device[1], [.array(leaf + [.null])]],
            [device[0], device[1], [[leaf[0], leaf[1], leaf[2], .unsigned(HybridTime.limit)]]],
            [device[0], device[1], [.array(leaf), .null]],
        ] {
            #expect(LogChain(right.with(7, [wrong])) == nil, "\(wrong)")
        }
    }
}

extension CBORValue {
    /// The map with another value for a key.
    fileprivate func with(_ key: Int64, _ value: CBORValue) -> CBORValue {
        .map((mapValue ?? []).map { $0.key == .integer(key) ? CBORPair(key: $0.key, value: value) : $0 })
    }
}
