import WardLog

/// How many steps it took to compute the circle of a vault, again and again, and by which devices' entries.
///
/// They are taken again whenever the log is read. Operations of the circle that stand take most: each takes about as many as the square of
/// their number, and those that do not know each other stay in memory with what they do to each other. So a vault with few entries can
/// take minutes and fill the memory, also if each of its devices keeps to the limits of a circle.
struct CircleSteps: Sendable {
    private(set) var total: Int64 = 0
    private var devices: [DeviceID: Int64] = [:]

    /// The part of a device's entries.
    subscript(_ device: DeviceID) -> Int64 { devices[device] ?? 0 }

    mutating func add(_ steps: Int, of device: DeviceID) {
        guard steps > 0 else { return }
        total += Int64(steps)
        devices[device, default: 0] += Int64(steps)
    }
}

extension SyncLimits {
    /// Checks that the circle did not take too many steps yet, before an entry of a device is taken.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - log: The log.
    ///   - isUrgent: Whether the upload changes the circle, and has nothing else but what that needs.
    /// - Throws: ``SyncError`` with `quota_exceeded`.
    func checkSteps(of device: DeviceID, in log: VaultLog, isUrgent: Bool) throws {
        let more = isUrgent ? Self.reservedSteps : 0
        guard log.steps.total <= circleSteps + more else { throw SyncError.vaultFull }
        guard log.steps[device] <= part(circleSteps) + more else { throw SyncError.partUsed(device) }
    }
}
