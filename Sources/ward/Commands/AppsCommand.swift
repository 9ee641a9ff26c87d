import ArgumentParser
import Foundation

/// Registered apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List, add and remove programs that may request passkeys and passwords.",
        discussion: """
            An app is identified by its executable: the path and the content of the file. A Flatpak app is identified by its \
            sandbox and needs no registration. An app can use items of a domain only if the domain lists the app in \
            https://DOMAIN/.well-known/apple-app-site-association.
            """,
        subcommands: [AppsListCommand.self, AppsAddCommand.self, AppsRemoveCommand.self]
    )
}
