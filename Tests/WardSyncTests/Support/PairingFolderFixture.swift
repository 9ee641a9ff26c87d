import Foundation
import WardVault
import WardWebAuthn

@testable import WardSync

/// An empty folder in which devices are paired.
struct PairingFolderFixture {
    let root: FolderFixture

    init() throws { root = try FolderFixture() }

    var place: PairingFolder { PairingFolder(folder: root.path) }

    /// Where the requests are.
    var path: String { root.path + "/ward/pairing" }

    /// A new device with a clock.
    func device(_ now: Int64) throws -> PendingDevice {
        var environment = VaultEnvironment()
        environment.effects.now = { now }
        return try PendingDevice(name: "Laptop", system: "Debian GNU/Linux 12", environment)
    }

    /// The names in the folder, sorted.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
