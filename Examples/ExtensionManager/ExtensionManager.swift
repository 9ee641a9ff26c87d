// A credential manager written for Apple's extension point: CredentialProvider.swift and Extensions.swift use nothing but Apple's
// classes and the file in which everything lies. This file is what an extension has in its property list there.
//
//     ExtensionManager FILE SOCKET
//     ExtensionManager --turn-on
//
// FILE has passwords and passkeys as JSON, private keys among them, so it is for trying the classes and for nothing else. The agent
// adds SOCKET when it starts the program: Documentation/formats/provider.md.

import AuthenticationServices
import Foundation

@main struct ExtensionManager {
    static func main() async throws {
        CredentialProviderExtension.identifier = "org.example.ExtensionManager"
        if CommandLine.arguments.dropFirst() == ["--turn-on"] {
            // What a button in the settings of the manager's app does.
            let isOn = await ASSettingsHelper.requestToTurnOnCredentialProviderExtension()
            print(isOn ? "on" : "off")
            return
        }
        guard CommandLine.arguments.count == 3 else {
            FileHandle.standardError.write(Data("Usage: ExtensionManager FILE SOCKET\n".utf8))
            exit(2)
        }
        try await Keychain.shared.updateIdentities()
        try await CredentialProviderExtension.run("org.example.ExtensionManager") { CredentialProvider() }
    }
}
