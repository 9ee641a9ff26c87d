import Crypto
import Foundation
import WardVault
import WardWebAuthn

/// A folder with a vault of many items and nothing else of the person who measures.
struct ManagerWorld: Sendable {
    /// Items of the vault that is measured.
    static let itemCount = 10_000
    /// Those of them that have a passkey and a code.
    static let richCount = 2_000
    static let passphrase = "correct horse battery staple"

    /// Everything is in here.
    let folder: String
    /// The vault of ``itemCount`` items.
    let location: VaultLocation
    /// Where the agent of that vault listens.
    let socket: String
    /// What programs are started with.
    let environment: [String: String]
    /// The program that was built beside this one.
    let ward: String

    /// Makes the vault, which takes a few seconds, and closes it.
    ///
    /// - Parameters:
    ///   - name: What tells it from other folders of this process.
    ///   - items: The number of items; `nil` for no vault.
    /// - Throws: `Command.Failed` if the program is not there, and what making files and the vault throws.
    init(named name: String = "", items: Int? = itemCount) async throws {
        folder = FileManager.default.temporaryDirectory.path + "/ward-bench-\(getpid())\(name)"
        location = Self.location(in: folder)
        socket = folder + "/run/ward/agent.sock"
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        environment = [
            // What measures speaks to the agent as the manager's own program does.
            "WARD_MANAGERS": own,
            "HOME": folder, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
            "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state",
            "XDG_RUNTIME_DIR": folder + "/run", "XDG_CONFIG_HOME": folder + "/config",
            "XDG_CACHE_HOME": folder + "/cache",
        ]
        ward = (own as NSString).deletingLastPathComponent + "/ward"
        guard FileManager.default.isExecutableFile(atPath: ward) else {
            throw Command.Failed(description: "\(ward) is not there: Scripts/bench builds it")
        }
        let folders = [folder, folder + "/data", folder + "/state", folder + "/run"]
        for path in folders {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        if let items { try await Self.makeVault(at: location, items: items) }
    }

    /// Ends what still runs and removes everything.
    func remove() {
        try? Command(words: [ward, "agent", "--stop"], environment: environment).run()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Another place for a vault, beside the one that is measured.
    func location(named name: String) -> VaultLocation { Self.location(in: folder + "/" + name) }

    private static func location(in folder: String) -> VaultLocation {
        VaultLocation(directory: folder + "/data/ward", stateDirectory: folder + "/state/ward")
    }

    /// Makes a vault and closes it, so that it is in one file and its index is written.
    static func makeVault(at location: VaultLocation, items count: Int) async throws {
        let (vault, _) = try await Vault.create(at: location, passphrase: Passphrase(passphrase))
        for start in stride(from: 0, to: count, by: 1000) {
            let items = try (start..<min(count, start + 1000)).map { try item($0) }
            try await vault.write { transaction in
                for item in items { try transaction.add(item) }
            }
        }
        try await vault.close()
    }

    /// The vault, unlocked.
    static func openVault(at location: VaultLocation) async throws -> Vault {
        let vault = try Vault.open(at: location)
        try await vault.unlock(with: Passphrase(passphrase))
        return vault
    }

    /// A login; the first ones have a passkey and a code besides.
    static func item(_ index: Int) throws -> Item {
        var item = Item(
            title: "Site \(index)",
            sites: [Site("https://site\(index).example/login")],
            username: "user\(index)@example.com",
            password: Password(SecretText("correct-horse-\(index)-battery"), changedAt: 1_700_000_000)
        )
        guard index < richCount,
            let credentialID = CredentialID(Array(SHA256.hash(data: Data("credential \(index)".utf8)))),
            let userHandle = UserHandle(Array(SHA256.hash(data: Data("user \(index)".utf8))))
        else { return item }
        item.codes = [
            try OneTimePassword(
                secret: Array(SHA256.hash(data: Data("code \(index)".utf8)).prefix(20)),
                issuer: "Site \(index)",
                account: "user\(index)"
            )
        ]
        item.passkeys = [
            StoredPasskey(
                credentialID: credentialID,
                rpID: "site\(index).example",
                rpName: "Site \(index)",
                userHandle: userHandle,
                userName: "user\(index)@example.com",
                userDisplayName: "User \(index)",
                algorithm: .es256,
                privateKey: SecretBytes(Array(P256.Signing.PrivateKey().derRepresentation)),
                prf: StoredPasskey.PRFSecrets(
                    withVerification: SecretBytes(Array(SHA256.hash(data: Data("with \(index)".utf8)))),
                    withoutVerification: SecretBytes(Array(SHA256.hash(data: Data("without \(index)".utf8))))
                ),
                createdAt: 1_700_000_000
            )
        ]
        return item
    }
}
