import ArgumentParser
import Foundation
import WardFolders

/// The options of the commands that write and remove host manifests.
struct BrowserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only this browser, even if it is not found here; repeatable. One of \(KnownBrowser.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "browser"
        )
    )
    var browser: [KnownBrowser] = []
    @Flag(help: "For you alone. This is the default.")
    var user = false
    @Flag(help: "For all users of this machine. Needs root.")
    var system = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !user || !system else { throw ValidationError("Use only one of --user and --system.") }
    }

    /// The file of a browser.
    ///
    /// - Throws: ``Failure`` with `usage` if the browser has no folder for all users.
    func manifest(_ browser: KnownBrowser, _ folders: BaseFolders) throws -> HostManifest {
        guard system else { return HostManifest(browser: browser, folder: browser.userFolder(folders)) }
        guard let folder = browser.systemFolder else {
            throw Failure(.usage, "\(browser.title) documents no folder for all users. Leave out --system")
        }
        return HostManifest(browser: browser, folder: folder)
    }
}

/// A line of the report of a command.
struct BrowserChange: Encodable {
    var browser: String
    var path: String
    var change: HostManifest.Change
}
