// swift-format-ignore-file: NeverUseForceTry
// A benchmark whose subject fails has nothing to measure and may stop.

import CCBOR
import WardCBOR
import WardTesting
import WardWebAuthn

/// Attestation objects as bytes: a usual one, large ones, and hostile ones.
enum AttestationBytes {
    /// A packed attestation object with a certificate, of about 760 bytes.
    static func usual() throws -> [UInt8] {
        var statement = CBORWriter()
        statement.writeMap(count: 3)
        statement.write(text: "alg")
        statement.write(integer: -7)
        statement.write(text: "sig")
        statement.write(bytes: [UInt8](repeating: 0x30, count: 71))
        statement.write(text: "x5c")
        statement.writeArray(count: 1)
        statement.write(bytes: [UInt8](repeating: 0x30, count: 465))
        return try object(format: "packed", statement: statement.bytes)
    }

    /// A statement of many items of 80 bytes, `count` bytes or a little more.
    static func wide(_ count: Int) throws -> [UInt8] {
        var statement = CBORWriter()
        statement.writeMap(count: 1)
        statement.write(text: "x5c")
        statement.writeArray(count: count / 80)
        for _ in 0..<(count / 80) { statement.write(bytes: [UInt8](repeating: 1, count: 78)) }
        return try object(format: "wide", statement: statement.bytes)
    }

    private static func object(format: String, statement: [UInt8]) throws -> [UInt8] {
        let plain = try AttestationObject(try Ceremonies().registration.attestationObject)
        var writer = CBORWriter()
        writer.writeMap(count: 3)
        writer.write(text: "fmt")
        writer.write(text: format)
        writer.write(text: "attStmt")
        writer.write(encoded: statement)
        writer.write(text: "authData")
        writer.write(bytes: plain.authenticatorData.bytes)
        return writer.bytes
    }

    /// 64 KiB that are no attestation object: nested arrays, maps with the same key, lengths nobody could hold.
    static let hostile: [(name: String, bytes: [UInt8])] = [
        ("deep", [UInt8](repeating: 0x81, count: 65_536)),
        ("duplicates", [0xb9, 0x7f, 0xff] + [UInt8](repeating: 0x00, count: 65_533)),
        ("long-claim", [0xa3, 0x63, 0x66, 0x6d, 0x74, 0x7b] + [UInt8](repeating: 0xff, count: 65_530)),
        ("wide-claim", [0x9b] + [UInt8](repeating: 0x7f, count: 65_535)),
    ]
}

extension Measurement {
    static func cbor() throws -> [Measurement] {
        let usual = try AttestationBytes.usual()
        let large = try AttestationBytes.wide(64_000)
        let half = try AttestationBytes.wide(32_000)
        return [
            Measurement(
                name: "cbor-decode-attestation",
                title: "a packed attestation object of \(usual.count) bytes, authenticator data and key included",
                limitTitle: "libcbor, CBOR alone",
                bound: 1.0,
                batchFactor: 20,
                subject: { count in for _ in 0..<count { keep(try! AttestationObject(usual)) } },
                limit: { count in for _ in 0..<count { loadWithLibcbor(usual) } }
            ),
            Measurement(
                name: "cbor-decode-64k",
                title: "64 KiB of items",
                limitTitle: "twice 32 KiB of them: 1.00 is linear",
                bound: 1.1,
                batchFactor: 0.1,
                subject: { count in for _ in 0..<count { keep(try! AttestationObject(large)) } },
                limit: { count in for _ in 0..<(2 * count) { keep(try! AttestationObject(half)) } }
            ),
        ]
            + AttestationBytes.hostile.map { name, bytes in
                Measurement(
                    name: "cbor-refuse-\(name)-64k",
                    title: "64 KiB that are hostile (\(name)), refused",
                    limitTitle: "64 KiB of items, accepted",
                    bound: 1.0,
                    batchFactor: 0.1,
                    subject: { count in for _ in 0..<count { keep(try? AttestationObject(bytes)) } },
                    limit: { count in for _ in 0..<count { keep(try! AttestationObject(large)) } }
                )
            }
    }
}

/// Decodes with the C library, and frees what it built.
private func loadWithLibcbor(_ bytes: [UInt8]) {
    var result = cbor_load_result()
    var item = cbor_load(bytes, bytes.count, &result)
    precondition(item != nil)
    cbor_decref(&item)
}
