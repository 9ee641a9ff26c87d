internal import WardCBOR
internal import WardCOSE
internal import WardRelyingParty

/// The members of a statement, read in one pass and checked against the format's syntax.
///
/// The syntaxes of section 8 are closed: unknown members and members of the wrong type are refused. All formats use
/// these seven members.
struct StatementMembers {
    struct Names: OptionSet {
        let rawValue: UInt8
        static let algorithm = Names(rawValue: 1)
        static let signature = Names(rawValue: 2)
        static let certificates = Names(rawValue: 4)
        static let version = Names(rawValue: 8)
        static let certInfo = Names(rawValue: 16)
        static let pubArea = Names(rawValue: 32)
        static let response = Names(rawValue: 64)
        static let all = Names(rawValue: 127)

        private static let table: [(String, Names)] = [
            ("alg", algorithm), ("sig", signature), ("x5c", certificates), ("ver", version), ("certInfo", certInfo),
            ("pubArea", pubArea), ("response", response),
        ]

        /// The member of a key; empty for unknown keys.
        static func named(_ key: CBORKey, _ input: Span<UInt8>) -> Names {
            guard case .text(let range) = key else { return [] }
            for (name, member) in table where CBORReader.isText(name, at: range, in: input) { return member }
            return []
        }

        var first: String? { Self.table.first { contains($0.1) }?.0 }
    }

    private(set) var algorithm: COSEAlgorithmIdentifier?
    private(set) var signature: [UInt8] = []
    /// The certificates in DER, the signing one first; `nil` if the member is absent.
    private(set) var certificates: [[UInt8]]?
    private(set) var version = ""
    private(set) var certInfo: [UInt8] = []
    private(set) var pubArea: [UInt8] = []
    private(set) var response: [UInt8] = []

    /// The limit is higher than the number of certificates that any authenticator sends.
    private static var maximumCertificates: Int { 8 }

    /// Reads a statement.
    ///
    /// - Parameters:
    ///   - statement: Canonical CBOR.
    ///   - required: The required members.
    ///   - optional: The optional members.
    ///   - section: The section, with which errors begin.
    /// - Throws: `AttestationError` if the statement has another form.
    init(
        _ statement: [UInt8],
        required: Names,
        optional: Names = [],
        section: String
    ) throws(AttestationError) {
        var seen: Names = []
        do {
            seen = try read(statement.span, allowed: required.union(optional), section)
        } catch let error as AttestationError {
            throw error
        } catch {
            throw AttestationError("\(section): the statement does not have the format's syntax: \(error)")
        }
        if let missing = required.subtracting(seen).first {
            throw AttestationError("\(section): \(missing) is missing")
        }
    }

    private mutating func read(_ input: Span<UInt8>, allowed: Names, _ section: String) throws -> Names {
        var seen: Names = []
        var reader = CBORReader(rules: .webAuthn)
        var map = try reader.readMap(input)
        while let key = try reader.nextKey(&map, input) {
            let name = Names.named(key, input)
            guard !name.isEmpty, allowed.contains(name) else {
                throw AttestationError("\(section): the statement has a member that the format does not have")
            }
            switch name {
            case .algorithm:
                algorithm = Int(exactly: try reader.readInteger(input)).map(COSEAlgorithmIdentifier.init)
            case .signature: signature = input.copy(try reader.readBytes(input))
            case .certificates: certificates = try readCertificates(input, with: &reader, section)
            case .version: version = try reader.readTextString(input)
            case .certInfo: certInfo = input.copy(try reader.readBytes(input))
            case .pubArea: pubArea = input.copy(try reader.readBytes(input))
            default: response = input.copy(try reader.readBytes(input))
            }
            seen.formUnion(name)
        }
        try reader.finish(input)
        return seen
    }

    private func readCertificates(
        _ input: Span<UInt8>,
        with reader: inout CBORReader,
        _ section: String
    ) throws -> [[UInt8]] {
        var chain: [[UInt8]] = []
        var array = try reader.readArray(input)
        while try reader.nextElement(&array, input) {
            guard chain.count < Self.maximumCertificates else {
                throw AttestationError("\(section): x5c has more than \(Self.maximumCertificates) certificates")
            }
            chain.append(input.copy(try reader.readBytes(input)))
        }
        guard !chain.isEmpty else { throw AttestationError("\(section): x5c holds no certificate") }
        return chain
    }
}

extension AttestationCertificate {
    /// Reads the first certificate of a chain.
    init(first chain: [[UInt8]], section: String) throws(AttestationError) {
        do {
            try self.init(chain.first ?? [])
        } catch {
            throw AttestationError("\(section): the first certificate cannot be read: \(error)")
        }
    }
}
