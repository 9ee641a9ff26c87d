import Foundation
import Logging
import Testing

@testable import WardAgent
import WardVault

@Suite struct `The setting of the desktop's portal` {
    private let folder = NSTemporaryDirectory() + "wds-\(UUID().uuidString.prefix(8))"

    private var settings: DesktopSettings {
        var paths = ProviderPaths(location: VaultLocation(directory: folder, stateDirectory: folder))
        paths.settings = folder + "/config/providers.json"
        return DesktopSettings(paths, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func `is off until it is switched on, and stays as it was set`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(!settings.isOn)
        try settings.set(isOn: true)
        #expect(settings.isOn)
        let attributes = try FileManager.default.attributesOfItem(atPath: settings.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try settings.set(isOn: false)
        #expect(!settings.isOn)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"version":2,"portal":true}"#, #"{"version":1,"portal":"true"}"#, #"{"version":1}"#,
    ])
    func `is off if the file cannot be read`(content: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try settings.set(isOn: true)
        try Data(content.utf8).write(to: URL(fileURLWithPath: settings.path))
        #expect(!settings.isOn)
    }

    @Test func `says nothing of features that do not work`() {
        for hasPasskeys in [true, false] {
            let claims = DesktopCapabilities(hasPasskeys: hasPasskeys).properties
            #expect(claims.count == 9 && Set(claims.map(\.name)).count == 9)
            let expected = ["PasskeyPlatformAuthenticator", "UserVerifyingPlatformAuthenticator", "RelatedOrigins"]
            #expect(claims.filter { $0.value == .flag(true) }.map(\.name) == (hasPasskeys ? expected : []))
        }
    }
}
