import WardLog

@testable import WardVault

extension Thief {
    /// Everything that keys open among entries: the titles of items.
    func titles(with keys: VaultKeys, in records: [LogRecord]) -> Set<String> {
        var found: Set<String> = []
        for record in records {
            guard case .revision(let revision) = record.entry.entry.operation, let blob = record.blob,
                let bytes = try? ItemSealing.open(
                    blob,
                    for: revision,
                    device: record.entry.entry.device,
                    sequence: record.sequence,
                    vault: vault,
                    keys: keys
                ), let item = try? Item(encoded: bytes)
            else { continue }
            found.insert(item.title)
        }
        return found
    }

    /// The keys of the thief, with all that is sealed to devices of theirs.
    func openedKeys(by devices: [DeviceFile], in records: [LogRecord]) throws -> VaultKeys {
        var keys = self.keys
        for record in records {
            guard case .circle(let operation) = record.entry.entry.operation, let made = operation.keys,
                let blob = record.blob
            else { continue }
            let name = VaultKeys.Name(epoch: made.epoch, owner: made.owner)
            for device in devices where !keys.has(name) {
                guard let secrets = CircleSecrets(made, header: blob, for: device, vault) else { continue }
                keys = try keys.adding(secrets.vaultKey, named: name)
            }
            // What each key that they have opens in the header.
            guard let header = try? VaultHeader(encoded: blob), let circle = header.circle else { continue }
            for known in keys.names {
                guard let key = keys.locked(known),
                    let opened = try? circle.open(with: key, epoch: header.epoch, vault: vault)
                else { continue }
                for other in opened.names where !keys.has(other) {
                    if let key = opened.locked(other) { keys = try keys.adding(key, named: other) }
                }
            }
        }
        return keys
    }
}
