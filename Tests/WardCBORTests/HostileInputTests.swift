import Testing
import WardCBOR
import WardTesting

/// Objects that are valid, each with something of every kind.
enum Sample {
    static let rules = CBORRules(maximumDepth: 8, allowsFloats: true)

    static let attestation: CBORValue = [
        "fmt": "packed",
        "attStmt": [
            "alg": -7, "sig": .bytes([UInt8](repeating: 0x30, count: 71)),
            "x5c": [.bytes([UInt8](repeating: 0x30, count: 300))],
        ],
        "authData": .bytes([UInt8](repeating: 0x49, count: 164)),
    ]

    static let information: CBORValue = [
        1: ["FIDO_2_0", "FIDO_2_1", "é"], 2: ["hmac-secret"], 3: .bytes([UInt8](repeating: 7, count: 16)),
        4: ["rk": true, "up": false, "uv": .null], 5: 1200, 6: [2, 1], -1: .unsigned(.max), -2: .negative(.max),
        -3: .float(1.5), -4: .float(0.1), -5: .float(.infinity), -6: [[[[], [:]]]],
    ]

    static let all = [attestation, information]
}

@Suite(.timeLimit(.minutes(15))) struct `Hostile bytes` {
    @Test(arguments: Sample.all)
    func `every shorter input is refused as truncated`(sample: CBORValue) throws {
        let bytes = sample.encoded()
        let decoded = try CBORValue.decode(bytes, rules: Sample.rules)
        #expect(decoded.encoded() == bytes)
        for length in 0..<bytes.count {
            let short = Array(bytes.prefix(length))
            #expect(throws: CBORError(.truncated, at: 0)) { try CBORValue.decode(short, rules: Sample.rules) }
        }
    }

    @Test(arguments: Sample.all)
    func `with any bit flipped the input is refused or is another canonical item`(sample: CBORValue) {
        let bytes = sample.encoded()
        for offset in bytes.indices {
            for bit in 0..<8 {
                var spoiled = bytes
                spoiled[offset] ^= 1 << UInt8(bit)
                guard let value = try? CBORValue.decode(spoiled, rules: Sample.rules) else { continue }
                #expect(value.encoded() == spoiled)
            }
        }
    }

    @Test(arguments: Sample.all)
    func `with any byte replaced the input is refused or is another canonical item`(sample: CBORValue) {
        let bytes = sample.encoded()
        let replacements: [UInt8] = [
            0x00, 0x17, 0x18, 0x1b, 0x3b, 0x5b, 0x7f, 0x9b, 0xbb, 0xbf, 0xc0, 0xf7, 0xfb, 0xff,
        ]
        for offset in bytes.indices {
            for replacement in replacements {
                var spoiled = bytes
                spoiled[offset] = replacement
                guard let value = try? CBORValue.decode(spoiled, rules: Sample.rules) else { continue }
                #expect(value.encoded() == spoiled)
            }
        }
    }

    @Test func `every input of up to two bytes is refused or canonical`() {
        for first in UInt8.min...UInt8.max {
            for bytes in [[first]] + (UInt8.min...UInt8.max).map({ [first, $0] }) {
                guard let value = try? CBORValue.decode(bytes, rules: Sample.rules) else { continue }
                #expect(value.encoded() == bytes)
            }
        }
    }

    @Test func `random bytes behind every initial byte are refused or canonical`() {
        var state: UInt64 = 1
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for round in 0..<40_000 {
            let bytes = [UInt8(truncatingIfNeeded: round)] + (0..<Int(random() % 24)).map { _ in random() & 0x7f }
            guard let value = try? CBORValue.decode(bytes, rules: Sample.rules) else { continue }
            #expect(value.encoded() == bytes)
        }
    }

    @Test func `a map of 64 KiB is refused by its count, before any of it is read`() {
        var writer = CBORWriter()
        writer.writeMap(count: 16_000)
        for key in 0..<16_000 as Range<Int64> {
            writer.write(integer: 16_000 - key)
            writer.write(unsigned: 0)
        }
        let bytes = writer.bytes
        for sorted in [true, false] {
            let rules = CBORRules(maximumDepth: 8, requiresSortedKeys: sorted)
            #expect(throws: CBORError(.tooManyItems, at: 0)) { try CBORValue.decode(bytes, rules: rules) }
        }
    }

    /// Reads by skipping, so that only the reader's own work counts; the best of three, as other tests run beside.
    private func duration(_ bytes: [UInt8], _ rules: CBORRules) -> (refusal: CBORError.Code?, time: Duration) {
        var refusal: CBORError.Code?
        let times = (0..<3).map { _ in
            processorTime {
                var reader = CBORReader(rules: rules)
                do throws(CBORError) { _ = try reader.skip(bytes.span) } catch { refusal = error.code }
            }
        }
        return (refusal, times.min() ?? .zero)
    }

    @Test func `keys in the worst order cost little more than sorted ones, and one of them twice costs no more`() {
        let rules = CBORRules(maximumDepth: 8, maximumItems: 100_000, requiresSortedKeys: false)
        func map(_ keys: some Sequence<Int64>, count: Int) -> [UInt8] {
            var writer = CBORWriter()
            writer.writeMap(count: count)
            for key in keys {
                writer.write(integer: key)
                writer.write(unsigned: 0)
            }
            return writer.bytes
        }
        let sorted = duration(map(0..<16_000, count: 16_000), rules)
        let reversed = duration(map((0..<16_000).reversed(), count: 16_000), rules)
        let twice = duration(map([0] + (0..<16_000 as Range<Int64>).reversed(), count: 16_001), rules)
        #expect(sorted.refusal == nil)
        #expect(reversed.refusal == nil)
        #expect(twice.refusal == .duplicateKey)
        // Quadratic work would be thousands of times more.
        #expect(reversed.time < sorted.time * 200)
        #expect(twice.time < sorted.time * 200)
    }

    @Test func `unsorted maps inside each other are not looked through again and again`() {
        let rules = CBORRules(maximumDepth: 64, maximumItems: 100_000, requiresSortedKeys: false)
        // 63 maps, each of whose last value is the next: every level looks ahead through all that follow.
        var bytes: [UInt8] = [0x00]
        for _ in 0..<63 { bytes = [0xa2, 0x01, 0x00, 0x00] + bytes }
        let nested = duration(bytes, rules)
        #expect(nested.refusal == nil)
        #expect(nested.time < .seconds(1))
    }
}
