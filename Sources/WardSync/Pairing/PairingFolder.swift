internal import Foundation
package import WardVault

/// The place in a folder where a new device and a member of a circle find each other.
///
/// The new device posts a request, and a member posts a reply to it. Nothing in the folder is trusted: what is sealed or
/// signed in the files decides, and the words that a person compares. Whatever cannot be read is a ``FolderTrouble``.
///
/// ```swift
/// let place = PairingFolder(folder: "/media/stick")
/// try place.post(pending.request)
/// guard let bytes = try place.reply(to: pending.request) else { return }
/// ```
///
/// All calls wait for the disk. `Documentation/formats/sync.md`, "Pairing by file".
package struct PairingFolder: Sendable {
    /// The path of the folder, which may be a link.
    ///
    /// It must exist.
    package let folder: String
    let steps: FolderSteps

    static let parts = [FolderRemote.root, FileName("pairing")]

    /// Names a folder; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder. Ward's files are in `ward` inside it.
    ///   - beforeStep: Called before each step. If it throws, that simulates a disk error or a power cut.
    package init(folder: String, beforeStep: @escaping @Sendable (FolderStep) throws -> Void = { _ in }) {
        self.folder = folder
        steps = FolderSteps(beforeStep)
    }

    /// The path of the folder with the requests, for people.
    var path: String { ([folder.printable] + Self.parts.map(\.text)).joined(separator: "/") }

    func path(_ file: FileName) -> String { path + "/" + file.text }

    /// Refuses a folder that is not there.
    ///
    /// - Throws: ``FolderError``.
    func checkFolder() throws(FolderError) {
        do {
            _ = try OpenFolder.at(folder)
        } catch {
            throw FolderError(error, folder.printable)
        }
    }
}

// MARK: The new device

extension PairingFolder {
    /// Writes the request of this device; it is on the disk when this returns.
    ///
    /// - Throws: ``FolderError``.
    package func post(_ request: PairingRequest) throws(FolderError) {
        let opened = try OpenFolder.making(Self.parts, in: folder)
        try opened.place(request.encoded, as: PairingFileName(request, .request).file, at: path, steps)
    }

    /// Reads the reply to the request of this device.
    ///
    /// Anybody who can write into the folder can write a reply.
    ///
    /// - Returns: The bytes, or `nil` if there is no reply yet, or if it is being written.
    /// - Throws: ``FolderError`` with `missing` if the folder itself is not there, with `blocked` if something else than
    ///   a file of at most ``PairingReply/maximumLength`` bytes is in place of the reply, or with another code.
    package func reply(to request: PairingRequest) throws(FolderError) -> [UInt8]? {
        try checkFolder()
        let file = PairingFileName(request, .reply).file
        do {
            guard let opened = try OpenFolder.existing(Self.parts, in: folder) else { return nil }
            return try opened.contents(of: file, upTo: PairingReply.maximumLength, at: path(file), steps).bytes
        } catch {
            switch error.reason {
            case .missing, .changing: return nil
            default: throw FolderError(error)
            }
        }
    }

    /// Deletes the request of this device and the reply to it.
    ///
    /// Errors are nothing: the files have no more meaning, and a member stops offering an old request.
    package func remove(_ request: PairingRequest) {
        guard let opened = try? OpenFolder.existing(Self.parts, in: folder) else { return }
        Self.remove(request, in: opened)
        try? opened.synchronize()
    }

    static func remove(_ request: PairingRequest, in opened: OpenFolder) {
        for kind in PairingFileName.Kind.allCases { try? opened.remove(PairingFileName(request, kind).file) }
    }
}
