public import WardAccounts

extension SQLiteTransaction {
    private static let deviceColumns = """
        device_hash, user_hash, client_id, scopes, created_at, expires_at, interval, polled_at, session_id, is_refused
        """

    /// Stores the wish of a device.
    public func insert(_ device: DeviceAuthorization) throws {
        let sql = "INSERT INTO device_authorization (\(Self.deviceColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        let values: [StoredValue] = [
            .blob(device.deviceHash), .blob(device.userHash), try .text(device.clientID), try .words(device.scopes),
            .integer(device.createdAt), .integer(device.expiresAt), .integer(device.interval),
            .integer(device.polledAt), .blob(device.answer.session?.bytes), .flag(device.answer == .refused),
        ]
        guard try insert(sql, values) else { throw StoreError(.conflict) }
    }

    /// Finds a device's wish by the hash of its device code.
    public func deviceAuthorization(deviceHash: [UInt8]) throws -> DeviceAuthorization? {
        let sql = "SELECT \(Self.deviceColumns) FROM device_authorization WHERE device_hash = ?"
        return try first(sql, [.blob(deviceHash)], Self.device)
    }

    /// Finds a device's wish by the hash of its user code.
    public func deviceAuthorization(userHash: [UInt8]) throws -> DeviceAuthorization? {
        let sql = "SELECT \(Self.deviceColumns) FROM device_authorization WHERE user_hash = ?"
        return try first(sql, [.blob(userHash)], Self.device)
    }

    /// Sets how the device polls, and what the person answered.
    @discardableResult
    public func update(_ device: DeviceAuthorization) throws -> Bool {
        let sql = """
            UPDATE device_authorization SET interval = ?, polled_at = ?, session_id = ?, is_refused = ?
            WHERE device_hash = ?
            """
        let values: [StoredValue] = [
            .integer(device.interval), .integer(device.polledAt), .blob(device.answer.session?.bytes),
            .flag(device.answer == .refused), .blob(device.deviceHash),
        ]
        return try change(sql, values) == 1
    }

    /// Deletes a device's wish.
    @discardableResult
    public func deleteDeviceAuthorization(deviceHash: [UInt8]) throws -> Bool {
        try change("DELETE FROM device_authorization WHERE device_hash = ?", [.blob(deviceHash)]) == 1
    }

    /// Deletes the expired wishes of devices.
    @discardableResult
    public func deleteExpiredDeviceAuthorizations(before time: Int64, limit: Int) throws -> Int {
        let sql = """
            DELETE FROM device_authorization WHERE device_hash IN (
                SELECT device_hash FROM device_authorization WHERE expires_at < ? LIMIT ?
            )
            """
        return try sweep(sql, time, limit)
    }

    private static func device(_ row: StoredRow) throws -> DeviceAuthorization {
        var columns = Columns(row)
        var device = DeviceAuthorization(
            deviceHash: try columns.blob(),
            userHash: try columns.blob(),
            clientID: try columns.text(),
            scopes: try columns.words(),
            createdAt: try columns.integer(),
            expiresAt: try columns.integer(),
            interval: try columns.integer(),
            polledAt: try columns.optionalInteger()
        )
        let session = try columns.optionalSessionID()
        device.answer = try columns.flag() ? .refused : session.map { .allowed($0) } ?? .pending
        return device
    }
}

extension DeviceAuthorization.Answer {
    fileprivate var session: SessionID? {
        guard case .allowed(let session) = self else { return nil }
        return session
    }
}
