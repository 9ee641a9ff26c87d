import Foundation
import WardText

/// The file that tells a browser which program to start for Ward's extension.
struct HostManifest {
    /// The name by which the extension asks for the program.
    static let name = "org.ward.browser"
    /// The ID of the extension in Chromium and its relatives, which follows from the key in its manifest.
    static let chromiumExtension = "einjclakeijnedfmbahodbjcjdiomohj"
    /// The ID of the extension in Firefox and its relatives.
    static let geckoExtension = "browser@ward.example"

    /// What became of a file.
    enum Change: String, Encodable {
        case written, unchanged, removed, missing
        /// The file is of another program, and was left alone.
        case foreign
    }

    let browser: KnownBrowser
    /// The folder of the browser's host manifests.
    let folder: String

    /// The path of the file.
    var path: String { "\(folder)/\(Self.name).json" }

    /// The content of the file.
    ///
    /// - Parameter program: The path of `ward-browser`.
    /// - Returns: JSON.
    func contents(_ program: String) -> [UInt8] {
        let allowed: JSONValue =
            browser.isGecko
            ? [.string(Self.geckoExtension)] : [.string("chrome-extension://\(Self.chromiumExtension)/")]
        let value: JSONValue = .object([
            .init("name", .string(Self.name)), .init("description", "Passkeys and passwords in Ward"),
            .init("path", .string(program)), .init("type", "stdio"),
            .init(browser.isGecko ? "allowed_extensions" : "allowed_origins", allowed),
        ])
        return value.serialized + [0x0a]
    }

    /// Writes the file, unless it has this content already.
    ///
    /// - Throws: ``Failure`` if another program's file is there, or if the file cannot be written.
    func write(_ program: String) throws -> Change {
        let new = contents(program)
        if let old = FileManager.default.contents(atPath: path) {
            if Array(old) == new { return .unchanged }
            guard isOwn(old) else {
                throw Failure(.conflict, "\(path) is not a file that Ward wrote. Move it away, then try again")
            }
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
            try Data(new).write(to: URL(fileURLWithPath: path), options: .atomic)
            // A manifest is no secret, and for all users every user's browser reads it.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        } catch {
            throw Failure(.unavailable, "\(path) cannot be written. Check the permissions of its folder")
        }
        return .written
    }

    /// Removes the file, if Ward wrote it.
    ///
    /// - Throws: ``Failure`` if it cannot be removed.
    func remove() throws -> Change {
        guard let old = FileManager.default.contents(atPath: path) else { return .missing }
        guard isOwn(old) else { return .foreign }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw Failure(.unavailable, "\(path) cannot be removed. Check the permissions of its folder")
        }
        return .removed
    }

    /// The program that the file names, if Ward wrote the file.
    var program: String? { FileManager.default.contents(atPath: path).flatMap { programNamed($0) } }

    private func isOwn(_ contents: Data) -> Bool { programNamed(contents) != nil }

    private func programNamed(_ contents: Data) -> String? {
        guard contents.count <= 65_536, let value = try? JSONValue(Array(contents)),
            value["name"]?.stringValue == Self.name, let program = value["path"]?.stringValue,
            program.hasSuffix("/ward-browser")
        else { return nil }
        return program
    }
}
