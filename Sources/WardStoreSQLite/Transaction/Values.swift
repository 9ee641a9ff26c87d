import Foundation
import GRDB
import WardAccounts
import WardWebAuthn

extension DatabaseValue {
    static func blob(_ bytes: [UInt8]) -> DatabaseValue { Data(bytes).databaseValue }
    static func blob(_ bytes: [UInt8]?) -> DatabaseValue { bytes.map { blob($0) } ?? .null }
    static func integer(_ value: Int64) -> DatabaseValue { value.databaseValue }
    static func integer(_ value: Int64?) -> DatabaseValue { value?.databaseValue ?? .null }
    static func flag(_ value: Bool) -> DatabaseValue { value.databaseValue }

    /// SQLite text ends at U+0000, so text with U+0000 is refused instead of truncated.
    static func text(_ text: String) throws -> DatabaseValue {
        guard !text.utf8.contains(0) else { throw StoreError(.notStorable, detail: "text with U+0000") }
        return text.databaseValue
    }

    /// One column for a list of words: each word ends in a comma; a backslash escapes commas and backslashes.
    static func words(_ words: [String]) throws -> DatabaseValue {
        var joined = String.UnicodeScalarView()
        for word in words {
            for scalar in word.unicodeScalars {
                if scalar == "," || scalar == "\\" { joined.append("\\") }
                joined.append(scalar)
            }
            joined.append(",")
        }
        return try text(String(joined))
    }
}

/// Reads the columns of a row in order.
///
/// A value that the schema does not allow is an error, never a trap.
struct Columns {
    private let row: Row
    private var index = 0

    init(_ row: Row) {
        self.row = row
    }

    private mutating func next() throws -> DatabaseValue.Storage {
        defer { index += 1 }
        guard index < row.count else { throw damage() }
        let value: DatabaseValue = row[index]
        return value.storage
    }

    mutating func blob() throws -> [UInt8] {
        guard let bytes = try optionalBlob() else { throw damage() }
        return bytes
    }

    mutating func optionalBlob() throws -> [UInt8]? {
        switch try next() {
        case .blob(let data): [UInt8](data)
        case .null: nil
        default: throw damage()
        }
    }

    mutating func integer() throws -> Int64 {
        guard let value = try optionalInteger() else { throw damage() }
        return value
    }

    mutating func optionalInteger() throws -> Int64? {
        switch try next() {
        case .int64(let value): value
        case .null: nil
        default: throw damage()
        }
    }

    mutating func unsigned32() throws -> UInt32 {
        guard let value = UInt32(exactly: try integer()) else { throw damage() }
        return value
    }

    mutating func flag() throws -> Bool {
        try integer() != 0
    }

    mutating func text() throws -> String {
        guard case .string(let text) = try next() else { throw damage() }
        return text
    }

    mutating func optionalText() throws -> String? {
        switch try next() {
        case .string(let text): text
        case .null: nil
        default: throw damage()
        }
    }

    mutating func words() throws -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in try text().unicodeScalars {
            switch (scalar, isEscaped) {
            case ("\\", false):
                isEscaped = true
            case (",", false):
                words.append(String(word))
                word = String.UnicodeScalarView()
            default:
                word.append(scalar)
                isEscaped = false
            }
        }
        guard word.isEmpty, !isEscaped else { throw damage() }
        return words
    }

    mutating func credentialID() throws -> CredentialID {
        guard let id = CredentialID(try blob()) else { throw damage() }
        return id
    }

    mutating func userHandle() throws -> UserHandle {
        guard let handle = UserHandle(try blob()) else { throw damage() }
        return handle
    }

    mutating func aaguid() throws -> AAGUID {
        guard let aaguid = AAGUID(try blob()) else { throw damage() }
        return aaguid
    }

    mutating func accountID() throws -> AccountID {
        guard let id = AccountID(try blob()) else { throw damage() }
        return id
    }

    mutating func sessionID() throws -> SessionID {
        guard let id = SessionID(try blob()) else { throw damage() }
        return id
    }

    mutating func optionalSessionID() throws -> SessionID? {
        guard let bytes = try optionalBlob() else { return nil }
        guard let id = SessionID(bytes) else { throw damage() }
        return id
    }

    mutating func idTokenAlgorithm() throws -> IDTokenAlgorithm {
        guard let algorithm = IDTokenAlgorithm(rawValue: try text()) else { throw damage() }
        return algorithm
    }

    mutating func method() throws -> Session.Method {
        guard let method = Session.Method(rawValue: try text()) else { throw damage() }
        return method
    }

    /// Three columns: the credential ID and the time, or two NULLs; and whether the person was verified.
    mutating func passkeyProof() throws -> PasskeyProof? {
        switch (try optionalBlob(), try optionalInteger(), try flag()) {
        case (nil, nil, _):
            return nil
        case (let bytes?, let provenAt?, let userVerified):
            guard let id = CredentialID(bytes) else { throw damage() }
            return PasskeyProof(by: id, at: provenAt, userVerified: userVerified)
        default:
            throw damage()
        }
    }

    private func damage() -> StoreError {
        StoreError(.damaged, detail: "column \(index) of a row has an invalid value")
    }
}
