public import WardAccounts

extension MemoryTransaction {
    /// Stores the wish of a device.
    public func insert(_ device: DeviceAuthorization) throws {
        try beginWriting([device.clientID] + device.scopes)
        guard records.devices[device.deviceHash] == nil, try deviceAuthorization(userHash: device.userHash) == nil
        else {
            throw StoreError(.conflict)
        }
        guard try oauthClient(id: device.clientID) != nil else { throw StoreError(.accountNotFound) }
        try checkSession(of: device)
        records.devices[device.deviceHash] = device
    }

    /// Finds a device's wish by the hash of its device code.
    public func deviceAuthorization(deviceHash: [UInt8]) throws -> DeviceAuthorization? {
        records.devices[deviceHash]
    }

    /// Finds a device's wish by the hash of its user code.
    public func deviceAuthorization(userHash: [UInt8]) throws -> DeviceAuthorization? {
        records.devices.values.first { $0.userHash == userHash }
    }

    /// Sets how the device polls, and what the person answered.
    @discardableResult
    public func update(_ device: DeviceAuthorization) throws -> Bool {
        try beginWriting()
        guard var stored = records.devices[device.deviceHash] else { return false }
        try checkSession(of: device)
        (stored.interval, stored.polledAt, stored.answer) = (device.interval, device.polledAt, device.answer)
        records.devices[device.deviceHash] = stored
        return true
    }

    /// Deletes a device's wish.
    @discardableResult
    public func deleteDeviceAuthorization(deviceHash: [UInt8]) throws -> Bool {
        try beginWriting()
        return records.devices.removeValue(forKey: deviceHash) != nil
    }

    /// Deletes the expired wishes of devices.
    @discardableResult
    public func deleteExpiredDeviceAuthorizations(before time: Int64, limit: Int) throws -> Int {
        try beginWriting()
        let expired = records.devices.values.filter { $0.expiresAt < time }.prefix(max(0, limit))
        for device in expired { records.devices[device.deviceHash] = nil }
        return expired.count
    }

    func removeDevices(where isOver: (DeviceAuthorization) -> Bool) {
        for device in records.devices.values where isOver(device) { records.devices[device.deviceHash] = nil }
    }

    private func checkSession(of device: DeviceAuthorization) throws {
        guard case .allowed(let session) = device.answer else { return }
        guard records.sessions[session] != nil else { throw StoreError(.accountNotFound) }
    }
}
