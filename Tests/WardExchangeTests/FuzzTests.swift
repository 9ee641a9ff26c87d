import Foundation
import Testing
import WardVault

@testable import WardExchange

/// Changes files of every format at random: each is read or refused, and what is read can be written.
///
/// `Scripts/fuzz exchange` does the same for longer: `WARD_FUZZ_RUNS` is the number of changed files of each sample. The file
/// that is tried is in the folder `WARD_FUZZ_INPUT`, so that it is there if it stops the process.
struct FuzzTests {
    /// A file and what opens it.
    struct Sample: CustomTestStringConvertible, Sendable {
        var name: String
        var source: ImportSource
        var format: String
        /// Puts changed bytes into a file, for formats with a checksum over them.
        var wrap: @Sendable ([UInt8]) -> [UInt8]? = { $0 }
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], format: String? = nil, passphrase: SecretText? = nil) {
            self.name = name
            source = ImportSource(name: name, bytes: bytes, passphrase: passphrase, now: 1_790_000_000)
            self.format = format ?? (try? ImportFormat.of(source))?.id ?? ""
        }
    }

    private static let files = [
        "bitwarden.json", "aegis.json", "2fas.json", "otpauth.txt", "proton.json", "proton.zip", "one.1pux",
    ]

    static let samples: [Sample] =
        files.compactMap { name in (try? ExportFile(name)).map { Sample(name, $0.bytes) } }
        + CSVSample.headers.sorted { $0.key < $1.key }.map { format, columns in
            let rows = [columns, columns.map { "a, \"\($0)\"" }, columns.map { _ in "https://example.com" }]
            return Sample("\(format).csv", csv(rows), format: format)
        } + [
            Sample("cxf.json", Array(CXFTests.everything.utf8)), kdbx,
            Sample("kdbx", (try? KDBXSample(xml: xml).source().bytes) ?? [], passphrase: "correct horse"),
            Sample(
                "age",
                Array(
                    "age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA 1\n\(code)\n--- \(code)\n0123456789".utf8
                ),
                passphrase: "p"
            ),
        ]

    private static let code = String(repeating: "A", count: 43)
    private static let xml = KDBXSample.entry(
        [("Title", "T"), ("UserName", "u"), ("Password", "p"), ("otp", "JBSWY3DPEHPK3PXP"), ("URL", "{REF:U@T:T}")],
        more: "<Times><CreationTime>AAAAAAAAAAA=</CreationTime></Times><Tags>a;b</Tags>"
            + "<Binary><Key>f</Key><Value Ref=\"0\"/></Binary><History><Entry/></History>"
    )

    /// The document inside of a KDBX file, with a right checksum around it.
    private static var kdbx: Sample {
        var sample = Sample("kdbx.xml", Array(xml.utf8), format: "kdbx", passphrase: "correct horse")
        sample.wrap = { bytes in
            try? KDBXSample(files: [[1, 2]], xml: String(decoding: bytes, as: UTF8.self)).source().bytes
        }
        return sample
    }

    private static func csv(_ rows: [[String]]) -> [UInt8] {
        let lines = rows.map { row in
            row.map {
                "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
            }
            .joined(separator: ",")
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["WARD_FUZZ_RUNS"].flatMap(Int.init) ?? 150

    @Test(arguments: samples)
    func `A changed file is read or refused, and what is read can be written`(sample: Sample) throws {
        let format = try #require(ImportFormat.named(sample.format), "\(sample.name)")
        let folder = Self.environment["WARD_FUZZ_INPUT"].map { URL(fileURLWithPath: $0, isDirectory: true) }
        var mutator = Mutator(seed: UInt64(Self.runs), sample.source.bytes)
        for _ in 0..<Self.runs {
            let changed = mutator.next()
            guard let bytes = sample.wrap(changed) else { continue }
            try folder.map { try Data(bytes).write(to: $0.appendingPathComponent(sample.name)) }
            var source = sample.source
            source.bytes = bytes
            _ = try? ImportFormat.of(source)
            guard let file = try? format.contents(of: source) else { continue }
            let written = ExportSource(items: file.items, now: 1)
            for export in ExportFormat.all {
                _ = export.notices(for: written)
                guard !export.isSealed else { continue }
                let bytes = try export.file(written)
                guard export.id == "cxf" else { continue }
                let again = try ImportFormat.cxf.contents(of: ImportSource(name: "a", bytes: bytes, now: 1))
                #expect(again.items.count == file.items.count)
            }
        }
    }

    @Test func `Changed rules for passwords are read or refused`() {
        let rules =
            "minlength: 8; maxlength: 16; required: lower, upper; required: [-().&@?'#,/&quot;]; allowed: ascii; max-consecutive: 2;"
        var mutator = Mutator(seed: 1, Array(rules.utf8))
        for _ in 0..<Self.runs * 5 {
            let text = String(decoding: mutator.next(), as: UTF8.self)
            let (read, faults) = PasswordRules.reading(text)
            #expect((try? PasswordRules(text)) == nil || faults.isEmpty, "\(read)")
        }
    }

    @Test func `Changed entries of pass are read or refused`() {
        let entry =
            "secret\nuser: ada\nurl: https://example.com\notpauth://totp/a?secret=JBSWY3DPEHPK3PXP\nPIN: 1\nmore"
        var mutator = Mutator(seed: 2, Array(entry.utf8))
        for _ in 0..<Self.runs * 5 {
            let changed = mutator.next()
            let path = String(decoding: changed.prefix(40), as: UTF8.self)
            _ = try? PasswordStore.contents(of: [.init(path: path, content: changed)], now: 1)
        }
    }
}

/// Changes a file at random places: the same changes each time.
private struct Mutator {
    private var state: UInt64
    private let original: [UInt8]
    /// Texts at which readers stumble.
    private static let tokens: [[UInt8]] =
        [
            "-1", "0", "9223372036854775808", "18446744073709551616", "1e999", "null", "[[[[[[[[", "{\"a\":", "\"",
            "\\u0000",
            "\u{fffd}", "<!DOCTYPE a>", "&lt;", "]]>", "\r", "\n", ",", ";", "otpauth://", "=", "%ZZ", "\u{202e}",
        ].map { Array($0.utf8) } + [[0xff], [0xc3], [0x80], [0, 0, 0, 0], [0xff, 0xff, 0xff, 0x7f]]

    init(seed: UInt64, _ original: [UInt8]) {
        state = seed
        self.original = original
    }

    private mutating func number(below limit: Int) -> Int {
        // SplitMix64, which is enough for places.
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((value ^ value >> 31) % UInt64(max(limit, 1)))
    }

    /// A range of at most so many bytes.
    private mutating func range(_ bytes: [UInt8], _ length: Int) -> Range<Int> {
        let start = number(below: bytes.count)
        return start..<min(bytes.count, start + 1 + number(below: length))
    }

    mutating func next() -> [UInt8] {
        var bytes = original
        for _ in 0...number(below: 4) where !bytes.isEmpty {
            let place = number(below: bytes.count)
            switch number(below: 7) {
            case 0: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 1: bytes[place] = UInt8(number(below: 256))
            case 2: bytes.removeSubrange(range(bytes, 16))
            case 3: bytes.insert(contentsOf: bytes[range(bytes, 64)], at: place)
            case 4: bytes.insert(contentsOf: Self.tokens[number(below: Self.tokens.count)], at: place)
            case 5: bytes.replaceSubrange(range(bytes, 8), with: Self.tokens[number(below: Self.tokens.count)])
            default: bytes.removeLast(min(bytes.count, number(below: 32)))
            }
        }
        return bytes
    }
}
