import ArgumentParser
import Foundation
import WardAgentClient
import WardFolders

/// Shows which browsers can reach Ward.
struct BrowserStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which browsers are set up and connected."
    )

    @OptionGroup var options: QuestionOptions

    private struct File: Encodable {
        var browser: String
        var path: String
        /// The program that the browser starts.
        var program: String
        /// Whether that program is there.
        var isThere: Bool
    }

    private struct Report: Encodable {
        var files: [File]
        var connected: [BrowserRecord]
        var sites: [BrowserSiteRecord]
        var upgrades: Bool
        var problems: [String]
    }

    func run() async throws {
        let folders = BaseFolders.ofThisProcess
        var files: [File] = []
        var problems: [String] = []
        for browser in KnownBrowser.allCases {
            for folder in [browser.userFolder(folders), browser.systemFolder].compactMap({ $0 }) {
                let manifest = HostManifest(browser: browser, folder: folder)
                guard let program = manifest.program else { continue }
                let isThere = FileManager.default.isExecutableFile(atPath: program)
                files.append(File(browser: browser.rawValue, path: manifest.path, program: program, isThere: isThere))
                if !isThere {
                    problems.append(
                        "\(manifest.path) names \(program), which is missing. Write it anew: ward browser install"
                    )
                }
            }
            if let sandboxed = browser.sandboxed(folders) { problems.append(sandboxed.advice) }
        }
        let (found, faults) = (files, problems)
        try await options.withDefaultAgent { agent in
            let listed = try await agent.call(ListBrowsers())
            let (connected, sites, upgrades) = (listed.browsers, listed.sites ?? [], listed.upgrades ?? true)
            if options.json {
                return try Output.json(
                    Report(files: found, connected: connected, sites: sites, upgrades: upgrades, problems: faults)
                )
            }
            for fault in faults { Terminal.note(fault) }
            if found.isEmpty { Terminal.note("No browser is set up. Set up those that are here: ward browser install") }
            for file in found { Output.lines(["Set up     \(file.path)"]) }
            for browser in connected {
                Output.lines([
                    "Connected  \(Table.clean(browser.name))  \(Table.clean(browser.path))  \(Table.clean(browser.extensionID))"
                ])
            }
            for site in sites { Output.lines(["Site       \(Table.clean(site.site))  \(site.summary)"]) }
            if !upgrades { Output.lines(["All sites  no automatic passkeys"]) }
            if !found.isEmpty, connected.isEmpty {
                Terminal.note("No browser is connected. Connect it in the menu of Ward's extension.")
            }
        }
    }
}

extension BrowserSiteRecord {
    /// What the person switched off, in words.
    fileprivate var summary: String {
        [
            saves ? nil : "passwords are not saved", upgrades ? nil : "no automatic passkeys",
            menu ? nil : "no menu at fields",
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
