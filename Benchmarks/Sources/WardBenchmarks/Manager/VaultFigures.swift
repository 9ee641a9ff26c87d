import CArgon2Reference
import Foundation
import WardVault

/// What is measured inside one process.
extension ManagerFigures {
    /// Opening beside Argon2id and reading the file, which nothing can do without.
    static func unlock(_ world: ManagerWorld) async throws -> [Figure] {
        let passphrase = try Passphrase(ManagerWorld.passphrase)
        let salt = [UInt8](repeating: 7, count: Int(crypto_pwhash_SALTBYTES))
        var (ours, theirs, wall, theirWall) = (Samples(), Samples(), Samples(), Samples())
        var length = 0
        for round in 0..<22 {
            // The order changes, so that a drifting clock favours neither; the first round of each is thrown away.
            for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                if isOurs {
                    let vault = try await wall.measure {
                        try await ours.measureProcessor {
                            let vault = try Vault.open(at: world.location)
                            try await vault.unlock(with: passphrase)
                            return vault
                        }
                    }
                    try await vault.close()
                } else {
                    length = try await theirWall.measure {
                        try await theirs.measureProcessor { try argon2id(salt) + read(world.location.database) }
                    }
                }
            }
        }
        ours.dropFirst()
        theirs.dropFirst()
        return [
            Figure(
                name: "manager-unlock",
                title: "opening a vault of \(ManagerWorld.itemCount) items with its passphrase",
                ours: ours,
                theirs: theirs,
                limitTitle: "Argon2id alone, 3 passes over 64 MiB, and reading the file of \(length / 1024) KiB",
                bound: 1.05,
                more: [
                    "of processor time; on the wall's clock ours takes \(rounded(wall.best, 2)) ms and the limit "
                        + "\(rounded(theirWall.best, 2)) ms at best"
                ]
            )
        ]
    }

    /// How long Argon2id takes alone, by the wall's clock, with the parameters of a vault.
    static func bareArgon2id() async throws -> Samples {
        let salt = [UInt8](repeating: 7, count: Int(crypto_pwhash_SALTBYTES))
        var samples = Samples()
        for _ in 0..<5 { _ = try await samples.measure { try argon2id(salt) } }
        return samples
    }

    /// libsodium's Argon2id with the parameters of a vault; answers 0.
    private static func argon2id(_ salt: [UInt8]) throws -> Int {
        var key = [UInt8](repeating: 0, count: 32)
        let text = Array(ManagerWorld.passphrase.utf8CString)
        let result = crypto_pwhash(
            &key,
            UInt64(key.count),
            text,
            UInt64(text.count - 1),
            salt,
            3,
            64 << 20,
            crypto_pwhash_ALG_ARGON2ID13
        )
        guard result == 0 else { throw Command.Failed(description: "Argon2id fails") }
        return 0
    }

    private static func read(_ path: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: path)).count
    }

    /// The items of a page.
    static func lookup(_ world: ManagerWorld) async throws -> [Figure] {
        let vault = try await ManagerWorld.openVault(at: world.location)
        let addresses = (0..<1000).map { "https://login.site\($0 * 7 % ManagerWorld.itemCount).example/" }
        var samples = Samples()
        for _ in 0..<11 {
            try await samples.measure {
                for address in addresses {
                    guard try await vault.summaries(at: address).count == 1 else {
                        throw Command.Failed(description: "the items of \(address) are not found")
                    }
                }
            }
        }
        try await vault.close()
        // A thousand in so many milliseconds: one in so many microseconds.
        return [
            Figure(
                name: "manager-site-lookup",
                title: "the items of a page, out of \(ManagerWorld.itemCount), inside the vault",
                value: samples.median,
                text: "\(rounded(samples.best, 2)) µs best, \(rounded(samples.median, 2)) µs median",
                unit: "us",
                limit: 1000,
                limitText: "1 ms"
            )
        ]
    }

    /// Bytes that go to the disk when an item is added.
    static func adding(_ world: ManagerWorld) async throws -> [Figure] {
        let small = world.location(named: "small")
        let large = world.location(named: "large")
        try await ManagerWorld.makeVault(at: small, items: 100)
        try await ManagerWorld.makeVault(at: large, items: ManagerWorld.itemCount)
        let few = try await bytesOfAdding(to: small)
        let many = try await bytesOfAdding(to: large)
        let index = try read(large.index)
        return [
            Figure(
                name: "manager-add-bytes",
                title: "bytes written for an item that is added to \(ManagerWorld.itemCount)",
                value: many.mean,
                text: "\(rounded(many.mean, 0)) bytes on average of \(additions), \(many.highest) at most, "
                    + "\(rounded(many.settling, 0)) of the average when the log is brought into the file",
                unit: "bytes",
                limit: 8192,
                limitText: "8192 bytes",
                more: [
                    "beside that, when a vault with more than 48 changes is locked: an index of \(index / 1024) KiB"
                ]
            ),
            Figure(
                name: "manager-add-bytes-growth",
                title: "bytes written for an item that is added to \(ManagerWorld.itemCount), beside a small vault",
                value: many.mean,
                limit: few.mean,
                unit: "bytes",
                ratio: many.mean / few.mean,
                lines: [
                    "ours   \(rounded(many.mean, 0)) bytes", "limit  \(rounded(few.mean, 0)) bytes  (added to 100)",
                    "ratio  \(rounded(many.mean / few.mean, 3))  (promised: at most 1.10)",
                ]
            ),
        ]
    }

    /// Few enough that the index stays as it is.
    private static let additions = 40

    private static func bytesOfAdding(
        to location: VaultLocation
    ) async throws -> (mean: Double, settling: Double, highest: Int) {
        let vault = try await ManagerWorld.openVault(at: location)
        var each: [Int] = []
        for index in 0..<additions {
            let item = try ManagerWorld.item(ManagerWorld.richCount + 1_000_000 + index)
            let before = try bytesWritten()
            try await vault.write { try $0.add(item) }
            each.append(try bytesWritten() - before)
        }
        let before = try bytesWritten()
        try await vault.close()
        let settling = Double(try bytesWritten() - before) / Double(additions)
        return (Double(each.reduce(0, +)) / Double(additions) + settling, settling, each.max() ?? 0)
    }

    /// What this process handed to `write(2)` and its kin so far.
    private static func bytesWritten() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") }),
            let number = Int(line.dropFirst(6).trimmingCharacters(in: .whitespaces))
        else { throw Command.Failed(description: "/proc/self/io does not say what was written") }
        return number
    }
}
