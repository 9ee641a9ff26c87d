import HTTPTypes
import Hummingbird
import NIOCore
import WardCBOR
import WardLog
import WardSyncRecords
import WardText

extension Request {
    /// Reads the whole body, if it has the right type and is not too long.
    ///
    /// No more than the limit is ever in memory.
    func bytes(_ type: String, upTo limit: Int) async throws -> [UInt8] {
        let given = headers[values: .contentType]
        guard given.count == 1, given[0].lowercased() == type else {
            throw SyncError(.unsupportedMediaType, "The Content-Type must be \(type).")
        }
        let tooLarge = SyncError(.bodyTooLarge, "The body can have at most \(limit) bytes.")
        if let declared = headers[.contentLength] {
            guard let length = Int(declared), length <= limit else { throw tooLarge }
        }
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limit else { throw tooLarge }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    /// Reads a small body: one CBOR map.
    func map(_ type: String = MediaType.cbor) async throws -> CBORValue {
        let bytes = try await bytes(type, upTo: SyncLimits.statementBytes)
        let rules = CBORRules(maximumDepth: 3, maximumItems: 1_024, maximumLength: SyncLimits.statementBytes)
        guard let value = try? CBORValue.decode(bytes, rules: rules), value.mapValue != nil else {
            throw SyncError(.malformedRequest, "The body must be a map in canonical CBOR.")
        }
        return value
    }

    /// The token of the field `Authorization`; `nil` if there is no such field.
    func bearer() throws -> SyncToken? {
        let given = headers[values: .authorization]
        guard let field = given.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard given.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
            let token = SyncToken(text: String(parts[1]))
        else { throw SyncError.sessionRequired }
        return token
    }

    /// The number in `If-Match`; `nil` if there is no such field.
    func ifMatch() throws -> Int64? {
        let given = headers[values: .ifMatch]
        guard let field = given.first else { return nil }
        let digits = field.dropFirst().dropLast()
        guard given.count == 1, field.count >= 3, field.first == "\"", field.last == "\"",
            let number = Int64(strict: digits)
        else { throw SyncError(.malformedRequest, "If-Match must be one number in quotes.") }
        return number
    }

    /// The hash in `Ward-Circle`; `nil` if there is no such field.
    func circleRoot() throws -> [UInt8]? {
        let given = headers[values: .wardCircle]
        guard let field = given.first else { return nil }
        guard given.count == 1, let hash = Hex.decode(field), hash.count == LogEntry.hashLength else {
            throw SyncError(.malformedRequest, "Ward-Circle must be one hash in hexadecimal digits.")
        }
        return hash
    }

    /// Whether `Ward-Named` says that later uploads name what this one has.
    func isNamedLater() throws -> Bool {
        let given = headers[values: .wardNamed]
        guard !given.isEmpty else { return false }
        guard given == ["later"] else { throw SyncError(.malformedRequest, "Ward-Named can only be: later") }
        return true
    }
}

enum MediaType {
    /// One item of CBOR.
    static let cbor = "application/cbor"
    /// Items of CBOR, one after the other.
    static let sequence = "application/cbor-seq"
}

/// The parameters of a query: each is known, is there once, and is a number or an ID in one form.
struct Parameters {
    private var values: [String: String] = [:]

    /// - Throws: ``SyncError`` with `parameter_not_valid` for a name that is not one of these.
    init(_ request: Request, _ names: Set<String>) throws {
        guard let query = request.uri.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, names.contains(String(parts[0])), values[String(parts[0])] == nil else {
                throw SyncError(
                    .parameterNotValid,
                    "The query can have each of these once: \(names.sorted().joined(separator: ", "))."
                )
            }
            values[String(parts[0])] = String(parts[1])
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func number(_ name: String, in range: ClosedRange<Int64>, else standard: Int64) throws -> Int64 {
        guard let text = values[name] else { return standard }
        guard let number = Int64(strict: text), range.contains(number) else {
            throw SyncError(
                .parameterNotValid,
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    func device(_ name: String) throws -> DeviceID? {
        guard let text = values[name] else { return nil }
        guard let bytes = Hex.decode(text), let device = DeviceID(bytes) else {
            throw SyncError(.parameterNotValid, "\(name) must be 32 hexadecimal digits.")
        }
        return device
    }
}

extension Int64 {
    /// A number in its one form: digits, without zeros in front.
    init?(strict text: some StringProtocol) {
        guard let number = Int64(text), String(number) == text, number >= 0 else { return nil }
        self = number
    }
}

extension SyncRequestContext {
    /// The vault in the path.
    func vault() throws -> VaultID {
        guard let vault = parameters.get("vault").flatMap({ VaultID(name: $0) }) else {
            throw SyncError(.notFound, "Nothing exists at this address.")
        }
        return vault
    }
}

extension VaultID {
    /// The ID of ``SyncVault/name``: 64 hexadecimal digits, in small letters.
    init?(name: String) {
        guard name.utf8.count == 2 * LogEntry.hashLength, name == name.lowercased(), let bytes = Hex.decode(name) else {
            return nil
        }
        self.init(bytes)
    }
}
