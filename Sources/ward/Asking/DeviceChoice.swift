import ArgumentParser
import WardAgentClient
import WardTerminal

/// Finds devices by the words of a command line.
enum DeviceChoice {
    /// The devices with these names, or with these first characters of their IDs, each once.
    ///
    /// Names that look the same count as the same: a device chooses its own name, and a stolen one could take that of another.
    ///
    /// - Throws: ``Failure`` with `missing` or `ambiguous`.
    static func find(_ words: [String], among list: DeviceList) throws -> [DeviceRecord] {
        var found: [DeviceRecord] = []
        for word in words {
            let device = try one(word, among: list.devices)
            if !found.contains(device) { found.append(device) }
        }
        return found
    }

    private static func one(_ word: String, among devices: [DeviceRecord]) throws -> DeviceRecord {
        let shown = DeviceText.quoted(word)
        // A removed device can have the name of one that came after it.
        let present = devices.filter { $0.status != "removed" }
        let named = present.filter { isNamed($0, word) }
        let matching = named.isEmpty ? present.filter { !word.isEmpty && $0.id.hasPrefix(word.lowercased()) } : named
        guard let first = matching.first else {
            if devices.contains(where: { isNamed($0, word) }) {
                throw Failure(.missing, "The device \(shown) was removed already. See: ward devices")
            }
            throw Failure(.missing, "There is no device \(shown). See the names: ward devices")
        }
        guard matching.count == 1 else {
            let ids = matching.map { String($0.id.prefix(8)) }.joined(separator: ", ")
            throw Failure(.ambiguous, "Several devices match \(shown). Use the first characters of an ID: \(ids)")
        }
        return first
    }

    private static func isNamed(_ device: DeviceRecord, _ word: String) -> Bool {
        let wanted = NameSkeleton.of(word)
        return !wanted.isEmpty && device.name.map { NameSkeleton.of($0) == wanted } ?? false
    }
}
