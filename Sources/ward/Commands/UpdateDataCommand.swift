import ArgumentParser
import Foundation
import WardAgentClient
import WardDownload
import WardVault

/// Downloads public data of sites.
struct UpdateDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-data",
        abstract: "Download public data of sites: password rules, shared accounts, sites with passkeys and codes.",
        discussion: """
            The data comes from three public lists: github.com/apple/password-manager-resources (password rules, shared \
            accounts, pages for changing passwords), passkeys.2fa.directory (sites with passkeys, license CC BY 4.0) and \
            2fa.directory (sites with verification codes). Nothing about you or your items is sent. Without the data everything \
            works, with fewer hints; of sites with passkeys Ward knows the best-known ones anyway.

            ward generate --site, ward import, ward audit and ward audit fix use the data.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Address of a folder with files of these names, on a server with HTTPS. Default: the publishers.",
            valueName: "address"
        )
    )
    var from: String?
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
        guard let from else { return }
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

    /// Downloads the files of each publisher.
    ///
    /// If a publisher cannot be reached, the files of the others are replaced.
    private func update() async throws {
        var failure: Failure?
        for publisher in SiteDataFile.Publisher.allCases {
            do throws(Failure) { try await update(publisher.files) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Downloads and checks files before it replaces any.
    private func update(_ files: [SiteDataFile]) async throws(Failure) {
        var contents: [(file: SiteDataFile, bytes: [UInt8])] = []
        for file in files { contents.append((file, try await content(of: file, of: files))) }
        let folder = SiteData.folder()
        do {
            for (file, bytes) in contents { try OwnersFile.write(Data(bytes), to: folder + "/" + file.rawValue) }
        } catch {
            throw Failure(.unavailable, "\(folder) cannot be written: check its permissions, and the space on the disk")
        }
    }

    private func content(of file: SiteDataFile, of files: [SiteDataFile]) async throws(Failure) -> [UInt8] {
        let address = from.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + file.rawValue } ?? file.address
        let unchanged = "Nothing was changed in \(files.map(\.rawValue).joined(separator: ", "))"
        var download = BoundedDownload(maximumSize: SiteDataFile.maximumSize, timeout: .seconds(30))
        download.headers = ["user-agent": "ward"]
        download.isAccepted = { ["application/json", "text/plain", "application/octet-stream"].contains($0) }
        do {
            let bytes = try await download.document(at: address)
            _ = try SiteData.check(bytes, as: file)
            return bytes
        } catch let fault as SiteDataFault {
            throw Failure(.failed, "\(address) cannot be used: \(fault). \(unchanged)")
        } catch {
            throw Failure(.unavailable, "\(address) cannot be downloaded (\(error)). \(unchanged)")
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
