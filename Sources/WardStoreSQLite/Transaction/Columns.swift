import GRDBSQLite
import WardAccounts
import WardWebAuthn

/// The row at which a statement stands.
///
/// It is valid until the statement's next step. Only ``SQLiteTransaction`` makes one, and lends it to a closure.
@safe
struct StoredRow {
    private let statement: OpaquePointer
    let count: CInt

    init(_ statement: OpaquePointer) {
        unsafe self.statement = statement
        count = unsafe sqlite3_data_count(statement)
    }

    func type(at index: CInt) -> CInt { unsafe sqlite3_column_type(statement, index) }
    func integer(at index: CInt) -> Int64 { unsafe sqlite3_column_int64(statement, index) }

    /// The bytes of a BLOB.
    func bytes(at index: CInt) -> [UInt8] { unsafe Array(raw(at: index)) }

    /// The text; bytes that are not UTF-8 are replaced.
    func text(at index: CInt) -> String { unsafe String(decoding: raw(at: index), as: UTF8.self) }

    private func raw(at index: CInt) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(statement, index)
        let count = unsafe start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}

/// Reads the columns of a row in order.
///
/// A value that the schema does not allow is an error, never a trap.
struct Columns {
    private let row: StoredRow
    private var index: CInt = 0

    init(_ row: StoredRow) {
        self.row = row
    }

    private mutating func next() throws -> (index: CInt, type: CInt) {
        defer { index += 1 }
        guard index < row.count else { throw damage() }
        return (index, row.type(at: index))
    }

    mutating func blob() throws -> [UInt8] {
        guard let bytes = try optionalBlob() else { throw damage() }
        return bytes
    }

    mutating func optionalBlob() throws -> [UInt8]? {
        switch try next() {
        case (let index, SQLITE_BLOB): row.bytes(at: index)
        case (_, SQLITE_NULL): nil
        default: throw damage()
        }
    }

    mutating func integer() throws -> Int64 {
        guard let value = try optionalInteger() else { throw damage() }
        return value
    }

    mutating func optionalInteger() throws -> Int64? {
        switch try next() {
        case (let index, SQLITE_INTEGER): row.integer(at: index)
        case (_, SQLITE_NULL): nil
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
        guard let text = try optionalText() else { throw damage() }
        return text
    }

    mutating func optionalText() throws -> String? {
        switch try next() {
        case (let index, SQLITE_TEXT):
            row.text(at: index)
        case (_, SQLITE_NULL): nil
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

    mutating func optionalCredentialID() throws -> CredentialID? {
        guard let bytes = try optionalBlob() else { return nil }
        guard let id = CredentialID(bytes) else { throw damage() }
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

    /// Names with spaces between them.
    mutating func groups() throws -> [GroupName] {
        let names = try text().utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        do { return try names.map { try GroupName($0) } } catch { throw damage() }
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

    /// Three columns: the AAGUID, the format of the statement and the time, or three NULLs.
    mutating func verifiedModel() throws -> VerifiedModel? {
        switch (try optionalBlob(), try optionalText(), try optionalInteger()) {
        case (nil, nil, nil): return nil
        case (let bytes?, let format?, let verifiedAt?):
            guard let aaguid = AAGUID(bytes) else { throw damage() }
            return VerifiedModel(aaguid: aaguid, format: format, verifiedAt: verifiedAt)
        default: throw damage()
        }
    }

    /// Three columns: the key and the time, or two NULLs; and the number of proofs.
    mutating func sessionBinding() throws -> SessionBinding? {
        switch (try optionalBlob(), try optionalInteger(), try integer()) {
        case (nil, nil, _): return nil
        case (let key?, let boundAt?, let proofs):
            return SessionBinding(publicKey: key, boundAt: boundAt, proofs: proofs)
        default: throw damage()
        }
    }

    private func damage() -> StoreError {
        StoreError(.damaged, detail: "column \(index) of a row has an invalid value")
    }
}
