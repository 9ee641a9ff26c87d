import ArgumentParser
import WardFolders

/// Removes host manifests.
struct BrowserUninstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the files that ward browser install wrote.",
        discussion: "Files of other programs stay. Connected browsers stay connected: ward browser forget removes them."
    )

    @OptionGroup var options: BrowserOptions

    func run() async throws {
        let folders = BaseFolders.ofThisProcess
        var files: [BrowserChange] = []
        for browser in options.browser.isEmpty ? KnownBrowser.allCases : options.browser {
            if options.browser.isEmpty, options.system, browser.systemFolder == nil { continue }
            let manifest = try options.manifest(browser, folders)
            let change = try manifest.remove()
            guard change != .missing else { continue }
            files.append(BrowserChange(browser: browser.rawValue, path: manifest.path, change: change))
        }
        if options.json { return try Output.json(["files": files]) }
        for file in files {
            if file.change == .removed {
                Output.lines(["Removed \(file.path)"])
            } else {
                Terminal.note("\(file.path) is not a file that Ward wrote. It stays.")
            }
        }
        if files.isEmpty { Terminal.note("There is nothing to remove.") }
    }
}
