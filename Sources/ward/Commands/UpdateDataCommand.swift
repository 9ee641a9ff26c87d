import ArgumentParser
import Foundation
import WardAgentClient
import WardDownload
import WardVault

/// Downloads public data of sites.
struct UpdateDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-data",
        abstract: "Download public data of sites: password rules, shared accounts, pages for changing passwords.",
        discussion: """
            The files are those of github.com/apple/password-manager-resources. Nothing about you or your items is sent. Without \
            the data everything works, with fewer hints.

            ward generate --site, ward audit and ward audit fix use the data.
            """
    )

    /// The public address of the files.
    private static let standard =
        "https://raw.githubusercontent.com/apple/password-manager-resources/main/quirks/"

    @Option(
        help: ArgumentHelp(
            "Address of a folder with the same files, on a server with HTTPS. Default: GitHub.",
            valueName: "address"
        )
    )
    var from = UpdateDataCommand.standard
    @Flag(help: "Show the files that are here and their age, and download nothing.")
    var status = false
    @Flag(help: "Print JSON.")
    var json = false

    private struct File: Encodable {
        let name: String
        let entries: Int?
        let downloadedAt: Int64?
    }

    func validate() throws {
        guard from.hasPrefix("https://"), from.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !from.contains("?"),
            !from.contains("#")
        else { throw ValidationError("--from must be an https address without ? and #.") }
    }

    func run() async throws {
        if !status { try await update() }
        let files = SiteDataFile.allCases.map { state(of: $0) }
        if json { return try Output.json(files) }
        var table = Table([
            .init(heading: "File"), .init(heading: "Entries", shrinks: false),
            .init(heading: "Downloaded", shrinks: false),
        ])
        for file in files {
            table.add([
                file.name, file.entries.map(String.init) ?? (file.downloadedAt == nil ? "" : "unreadable"),
                file.downloadedAt.map(When.minute) ?? "never",
            ])
        }
        Output.table(table)
        if status, files.contains(where: { $0.downloadedAt == nil }) {
            Terminal.note("Download the files: ward update-data")
        }
    }

    /// Downloads and checks all files before it replaces any.
    private func update() async throws {
        let base = from.hasSuffix("/") ? from : from + "/"
        var download = BoundedDownload(maximumSize: SiteDataFile.maximumSize, timeout: .seconds(30))
        download.isAccepted = { ["application/json", "text/plain", "application/octet-stream"].contains($0) }
        var contents: [(file: SiteDataFile, bytes: [UInt8])] = []
        for file in SiteDataFile.allCases {
            do {
                let bytes = try await download.document(at: base + file.rawValue)
                _ = try SiteData.check(bytes, as: file)
                contents.append((file, bytes))
            } catch let fault as SiteDataFault {
                throw Failure(.failed, "\(base)\(file.rawValue) cannot be used: \(fault). Nothing was changed")
            } catch {
                throw Failure(
                    .unavailable,
                    "\(base)\(file.rawValue) cannot be downloaded (\(error)). Nothing was changed"
                )
            }
        }
        let folder = SiteData.folder()
        do {
            for (file, bytes) in contents { try OwnersFile.write(Data(bytes), to: folder + "/" + file.rawValue) }
        } catch {
            throw Failure(.unavailable, "\(folder) cannot be written: check its permissions, and the space on the disk")
        }
    }

    private func state(of file: SiteDataFile) -> File {
        let path = SiteData.folder() + "/" + file.rawValue
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let date = attributes?[.modificationDate] as? Date
        return File(
            name: file.rawValue,
            entries: date == nil ? nil : SiteData.entries(of: file, in: SiteData.folder()),
            downloadedAt: date.map { Int64($0.timeIntervalSince1970) }
        )
    }
}
