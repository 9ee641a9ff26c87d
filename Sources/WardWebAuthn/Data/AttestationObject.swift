internal import WardCBOR

/// An authenticator's answer at registration: its authenticator data and an attestation statement.
///
/// WebAuthn Level 3, [§6.5.4](https://www.w3.org/TR/webauthn-3/#sctn-generating-an-attestation-object).
public struct AttestationObject: Hashable, Sendable {
    /// The bytes as received.
    public let bytes: [UInt8]
    /// The statement's format, case-sensitive.
    public let format: String
    /// The statement as CBOR: a map, or an array for `compound`.
    public let statement: [UInt8]
    /// The authenticator data.
    public let authenticatorData: AuthenticatorData

    /// Reads an attestation object to its last byte.
    ///
    /// The three members may be in any order, because authenticators and browsers before 2020 wrote them unsorted. The
    /// statement and the authenticator data must be canonical.
    ///
    /// - Parameter bytes: At most 64 KiB.
    /// - Throws: ``WebAuthnError`` with `malformedAttestationObject`, or the errors of ``AuthenticatorData``.
    public init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= 65_536 else {
            throw WebAuthnError(
                .malformedAttestationObject,
                "the attestation object has \(bytes.count) bytes; at most 65,536 are allowed"
            )
        }
        let parts: Parts
        do {
            parts = try Self.read(bytes.span)
        } catch {
            throw WebAuthnError(.malformedAttestationObject, "\(error)")
        }
        guard let format = parts.format, let statement = parts.statement, let data = parts.data else {
            throw WebAuthnError(
                .malformedAttestationObject,
                "fmt, attStmt (a map or an array) and authData are required"
            )
        }
        self.bytes = bytes
        self.format = format
        self.statement = Array(bytes[statement])
        authenticatorData = try AuthenticatorData(Array(bytes[data]))
    }

    /// Builds an attestation object.
    ///
    /// - Parameters:
    ///   - format: The statement's format.
    ///   - statement: The statement as canonical CBOR.
    ///   - authenticatorData: The authenticator data as signed.
    /// - Returns: Canonical CBOR.
    package static func assemble(format: String, statement: [UInt8], authenticatorData: [UInt8]) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMap(count: 3)
        writer.write(text: "fmt")
        writer.write(text: format)
        writer.write(text: "attStmt")
        writer.write(encoded: statement)
        writer.write(text: "authData")
        writer.write(bytes: authenticatorData)
        return writer.bytes
    }

    private struct Parts {
        var format: String?
        var statement: Range<Int>?
        var data: Range<Int>?
    }

    private static let fmt = Array("fmt".utf8)
    private static let attStmt = Array("attStmt".utf8)
    private static let authData = Array("authData".utf8)

    private static func read(_ input: Span<UInt8>) throws(CBORError) -> Parts {
        var rules = CBORRules.webAuthn
        rules.requiresSortedKeys = false
        var reader = CBORReader(rules: rules)
        var parts = Parts()
        var map = try reader.readMap(input)
        while let key = try reader.nextKey(&map, input) {
            guard case .text(let range) = key else {
                _ = try reader.skip(input)
                continue
            }
            if matches(input, range, fmt) {
                parts.format = try reader.readTextString(input)
            } else if matches(input, range, attStmt) {
                // A map, or the array of a compound statement, which must be canonical too.
                guard [.map, .array].contains(try reader.peekType(input)) else { return Parts() }
                var strict = CBORReader(at: reader.offset, rules: .webAuthn)
                _ = try strict.skip(input)
                parts.statement = try reader.skip(input)
            } else if matches(input, range, authData) {
                parts.data = try reader.readBytes(input)
            } else {
                _ = try reader.skip(input)
            }
        }
        try reader.finish(input)
        return parts
    }

    private static func matches(_ input: Span<UInt8>, _ range: Range<Int>, _ name: [UInt8]) -> Bool {
        guard range.count == name.count else { return false }
        for index in 0..<name.count where input[range.lowerBound + index] != name[index] { return false }
        return true
    }
}
