/// The calls of a transaction for the people who run the service: tokens of the admin API, and how many records there are.
///
/// The promises of ``AccountTransaction`` hold for these calls too.
public protocol AdministrationTransaction {
    /// Stores a new token of the admin API.
    ///
    /// - Parameter token: The record.
    /// - Throws: `StoreError.Code.conflict` if a token with this hash exists.
    func insert(_ token: AdminToken) async throws

    /// Finds a token of the admin API by its hash, even if it has expired: see ``AdminToken/isExpired(at:)``.
    func adminToken(tokenHash: [UInt8]) async throws -> AdminToken?

    /// All tokens of the admin API, oldest first.
    func adminTokens() async throws -> [AdminToken]

    /// Deletes a token of the admin API.
    ///
    /// - Parameter tokenHash: The token's hash.
    /// - Returns: Whether the token existed.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func deleteAdminToken(tokenHash: [UInt8]) async throws -> Bool

    /// Notes the use of a token of the admin API.
    ///
    /// - Parameters:
    ///   - tokenHash: The token's hash.
    ///   - lastUsedAt: Seconds since 1970.
    /// - Returns: Whether the token exists.
    /// - Throws: ``StoreError`` if the store failed.
    @discardableResult
    func touchAdminToken(tokenHash: [UInt8], lastUsedAt: Int64) async throws -> Bool

    /// How many records the store has.
    ///
    /// The cost may grow with their number.
    func recordCounts() async throws -> RecordCounts
}
