import ArgumentParser
import Foundation
import WardFolders

/// Writes host manifests.
struct BrowserInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Tell browsers how to start ward-browser.",
        discussion: """
            Writes one small file for each browser that is found here. Without --browser, browsers that are not here are left out.
            """
    )

    @OptionGroup var options: BrowserOptions

    private struct Report: Encodable {
        var program: String
        var files: [BrowserChange]
        var problems: [String]
    }

    func run() async throws {
        let folders = BaseFolders.ofThisProcess
        let program = try Self.program()
        let wanted = options.browser.isEmpty ? KnownBrowser.allCases : options.browser
        var report = Report(program: program, files: [], problems: [])
        for browser in wanted {
            if let sandboxed = browser.sandboxed(folders) { report.problems.append(sandboxed.advice) }
            guard !options.browser.isEmpty || browser.isThere(folders) else { continue }
            // Without a choice, a browser that has no folder for all users is left out.
            if options.browser.isEmpty, options.system, browser.systemFolder == nil { continue }
            let manifest = try options.manifest(browser, folders)
            let change = try manifest.write(program)
            report.files.append(BrowserChange(browser: browser.rawValue, path: manifest.path, change: change))
        }
        if options.json { return try Output.json(report) }
        for file in report.files {
            Output.lines([(file.change == .written ? "Wrote " : "Already there: ") + file.path])
        }
        for problem in report.problems { Terminal.note(problem) }
        guard report.files.isEmpty else {
            return Terminal.note("Now add Ward's extension to the browser, and connect it in the extension's menu.")
        }
        guard report.problems.isEmpty else { throw ExitCode(Failure.Status.unavailable.rawValue) }
        throw Failure(.missing, "No browser was found here. Name one: ward browser install --browser chromium")
    }

    /// The path of `ward-browser`, in the folder of this program.
    private static func program() throws -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: own ?? "/").deletingLastPathComponent().appendingPathComponent("ward-browser")
            .path
        guard own != nil, FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(.unavailable, "\(path), which browsers start, is missing. Install ward again: make ward")
        }
        return path
    }
}
