internal import WardCBOR
public import WardRelyingParty

/// The format `compound`: several statements of other formats about the same credential.
///
/// WebAuthn Level 3, [§8.9](https://www.w3.org/TR/webauthn-3/#sctn-compound-attestation).
public struct CompoundAttestation: AttestationFormat {
    /// `compound`.
    public var identifier: String { "compound" }

    /// The formats of its parts; a `compound` among them is never used.
    public var formats: AttestationFormats
    /// Whether a part with an unknown format is accepted as unverified; `false` refuses the whole statement.
    public var acceptsUnverifiedParts: Bool

    /// Creates the format, for `AttestationFormats`.
    public init(formats: AttestationFormats, acceptsUnverifiedParts: Bool = true) {
        self.formats = formats
        self.acceptsUnverifiedParts = acceptsUnverifiedParts
    }

    /// Runs the verification procedure of every part.
    ///
    /// The specification lets the relying party decide how many parts must be valid. Here every part that can be
    /// verified must be valid.
    ///
    /// - Parameter statement: The statement and the data that it covers.
    /// - Returns: The evidence of every part, in order; `unverified` if no part could be verified.
    /// - Throws: `AttestationError` with the section and the rule that is broken.
    public func verify(_ statement: AttestationStatement) throws(AttestationError) -> AttestationEvidence {
        // L3 #sctn-compound-attestation: "attStmt: [2* nonCompoundAttStmt]".
        let parts: [(format: String, statement: Range<Int>)]
        do {
            parts = try Self.read(statement.statement.span)
        } catch let error as AttestationError {
            throw error
        } catch {
            throw AttestationError("§8.9: the statement does not have the format's syntax: \(error)")
        }
        guard parts.count >= 2 else { throw AttestationError("§8.9: fewer than two statements") }
        // Step 1: "For each subStmt of attStmt, evaluate the verification procedure corresponding to … subStmt.fmt".
        var evidence: [AttestationEvidence.Part] = []
        for part in parts {
            guard let format = formats[part.format] else {
                guard acceptsUnverifiedParts else {
                    throw AttestationError("§8.9: the format \(part.format.printable) is not known")
                }
                evidence.append(.init(format: part.format, evidence: .unverified))
                continue
            }
            let inner = statement.part(format: part.format, statement: Array(statement.statement[part.statement]))
            evidence.append(.init(format: part.format, evidence: try format.verify(inner)))
        }
        // Step 2: "return implementation-specific values representing any combination of outputs".
        guard evidence.contains(where: { $0.evidence != .unverified }) else { return .unverified }
        return .compound(evidence)
    }

    /// The limit is higher than the number of statements that any authenticator sends.
    private static var maximumParts: Int { 8 }

    /// `nonCompoundAttStmt = { fmt: text .ne "compound", attStmt: … }`.
    static func read(_ input: Span<UInt8>) throws -> [(format: String, statement: Range<Int>)] {
        var parts: [(String, Range<Int>)] = []
        var reader = CBORReader(rules: .webAuthn)
        var array = try reader.readArray(input)
        while try reader.nextElement(&array, input) {
            guard parts.count < maximumParts else {
                throw AttestationError("§8.9: more than \(maximumParts) statements")
            }
            var format: String?
            var statement: Range<Int>?
            var map = try reader.readMap(input)
            while let key = try reader.nextKey(&map, input) {
                guard case .text(let name) = key else { throw AttestationError("§8.9: an unknown member") }
                if CBORReader.isText("fmt", at: name, in: input) {
                    format = try reader.readTextString(input)
                } else if CBORReader.isText("attStmt", at: name, in: input) {
                    statement = try reader.skip(input)
                } else {
                    throw AttestationError("§8.9: an unknown member")
                }
            }
            guard let format, let statement else { throw AttestationError("§8.9: fmt or attStmt is missing") }
            guard format != "compound" else { throw AttestationError("§8.9: a compound statement inside another") }
            parts.append((format, statement))
        }
        try reader.finish(input)
        return parts
    }
}
