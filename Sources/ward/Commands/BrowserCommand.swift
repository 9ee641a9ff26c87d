import ArgumentParser

/// Browsers.
struct BrowserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser",
        abstract: "Use Ward in browsers, through its extension.",
        discussion: """
            ward browser install tells your browsers how to reach Ward. Then add Ward's extension to the browser, and connect it in \
            the extension's menu. A prompt asks you once for each browser.
            """,
        subcommands: [
            BrowserInstallCommand.self, BrowserStatusCommand.self, BrowserForgetCommand.self,
            BrowserUninstallCommand.self,
        ]
    )
}
