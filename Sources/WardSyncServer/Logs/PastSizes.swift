import WardLog
import WardText

/// How much memory the pasts of a log's entries take, and what they know of the circle, in words of eight bytes.
///
/// The past of an entry has a number for each chain in the log. An entry that only follows the one before shares its past. Each other
/// entry has its own, so a log with many chains can take far more memory than its entries are long. What an entry knows of the circle
/// has a bit for each entry there, if it is not what the one before knew.
struct PastSizes: Sendable {
    private(set) var total: Int64 = 0
    private var devices: [DeviceID: Int64] = [:]

    /// The part of a device's entries.
    subscript(_ device: DeviceID) -> Int64 { devices[device] ?? 0 }

    mutating func add(_ words: Int, of device: DeviceID) {
        guard words > 0 else { return }
        total += Int64(words)
        devices[device, default: 0] += Int64(words)
    }
}

extension SyncLimits {
    /// Checks that there is memory for the past of an entry that is not in the log yet.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - log: The log.
    ///   - isUrgent: Whether the upload changes the circle, and has nothing else but what that needs.
    /// - Throws: ``SyncError`` with `quota_exceeded`.
    func checkPast(of entry: LogEntry, in log: VaultLog, isUrgent: Bool) throws {
        let words = Int64(log.graph.pastWords(of: entry) + log.graph.circleWords(of: entry))
        guard words > 0 else { return }
        let more = isUrgent ? Self.reservedPasts : 0
        guard log.pasts.total + words <= vaultPasts + more else { throw SyncError.vaultFull }
        guard log.pasts[entry.device] + words <= part(vaultPasts) + more else { throw SyncError.partUsed(entry.device) }
    }
}

extension SyncError {
    static var vaultFull: Self { Self(.quotaExceeded, "The vault is full here.").with("of", "vault") }

    static func partUsed(_ device: DeviceID) -> Self {
        Self(.quotaExceeded, "A device has used up its part of the vault.").with("of", "device")
            .with("device", .string(Hex.encode(device.bytes)))
    }
}
