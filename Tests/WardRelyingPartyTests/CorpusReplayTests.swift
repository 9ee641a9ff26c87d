import Foundation
import Testing
import WardTesting

/// Replays every input that the fuzzers began with or found.
@Suite struct `Fuzz corpus` {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Corpus")

    private func inputs(_ property: ParserProperty) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.folder.appendingPathComponent(property.rawValue)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }
    }

    @Test(arguments: ParserProperty.allCases)
    func `every input is answered, and what is accepted means what was written`(property: ParserProperty) throws {
        let inputs = try inputs(property)
        #expect(!inputs.isEmpty)
        for (name, bytes) in inputs {
            #expect(throws: Never.self, "\(name)") { try property.check(bytes) }
        }
    }

    @Test(arguments: ParserProperty.allCases)
    func `so is every input cut short and with each byte changed`(property: ParserProperty) throws {
        for (name, bytes) in try inputs(property) where bytes.count <= 1_200 {
            // A prime step keeps the long ones quick and still visits other places each time a sample is added.
            for index in stride(from: 0, to: bytes.count, by: bytes.count > 300 ? 7 : 1) {
                var changed = bytes
                changed[index] ^= 0x15
                #expect(throws: Never.self, "\(name), byte \(index)") {
                    try property.check(changed)
                    try property.check(Array(bytes[..<index]))
                }
            }
        }
    }
}
