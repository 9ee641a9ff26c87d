internal import Foundation
internal import WardLog

/// The folder in which this device writes.
struct OwnFolder {
    let remote: FolderRemote
    let device: DeviceID
    let name: FileName
    let opened: OpenFolder

    /// Opens the folder, and creates it with the folders above it if they are not there.
    ///
    /// The folder that the person named is never created: an empty place where a drive should be looks the same.
    ///
    /// - Throws: ``FolderError``.
    init(of device: DeviceID, in remote: FolderRemote) throws(FolderError) {
        let name = FolderRemote.name(of: device)
        self.remote = remote
        self.device = device
        self.name = name
        opened = try OpenFolder.making([FolderRemote.root, remote.vaultName, name], in: remote.folder)
    }

    /// The path of the folder, for people.
    var path: String { remote.path(name) }

    func path(of file: FileName) -> String { remote.path(name, file) }

    /// The names of all files in the folder.
    func names() throws(FolderError) -> [FileName] {
        let listed: (names: [FileName], hasMore: Bool)
        do {
            listed = try opened.names(limit: FolderLimits.files)
        } catch {
            throw FolderError(error, path)
        }
        guard !listed.hasMore else {
            throw FolderError(
                .tooManyFiles,
                "\(path) has more than \(FolderLimits.files) files. Remove those that Ward did not write."
            )
        }
        return listed.names
    }

    // MARK: Writing

    /// Writes a segment under its name; it is on the disk when this returns.
    ///
    /// A file of this name is replaced only if everything that can be read in it is in the new one. If it has the same
    /// records already, nothing is written.
    ///
    /// - Throws: ``FolderError``.
    func place(_ records: [LogRecord], _ bytes: [UInt8], as name: SegmentFileName) throws(FolderError) {
        try place(records, bytes, as: FileName(name.text))
    }

    /// Writes a segment under any name, with the same care.
    ///
    /// - Throws: ``FolderError``.
    func place(_ records: [LogRecord], _ bytes: [UInt8], as file: FileName) throws(FolderError) {
        guard try !isThere(file, with: records) else { return try synchronize() }
        try opened.place(bytes, as: file, at: path, remote.steps)
    }

    /// Deletes a file whose entries are in another one; it may be gone already.
    func delete(_ file: FileName) throws(FolderError) {
        try remote.willDo(.delete(path(of: file)))
        do {
            try opened.remove(file)
        } catch {
            if !error.isMissing { throw FolderError(error, path(of: file)) }
        }
    }

    /// Waits until the names in the folder are on the disk.
    func synchronize() throws(FolderError) { try opened.synchronize(at: path, remote.steps) }

    /// Whether a file has exactly these records already.
    ///
    /// - Throws: ``FolderError`` with `contradiction` if the file has entries that are not among them.
    private func isThere(_ file: FileName, with records: [LogRecord]) throws(FolderError) -> Bool {
        let found: Segment
        do {
            found = try remote.load(file, in: opened, name)
        } catch {
            // Most often there is no such file. What is damaged is replaced.
            guard case .segment(.unknownVersion(_)) = error.reason else { return false }
            throw FolderError(.contradiction, error.description)
        }
        if found.records == records { return true }
        let hashes = Set(records.map(\.entry.hash))
        guard found.records.allSatisfy({ hashes.contains($0.entry.hash) }) else {
            throw FolderError(
                .contradiction,
                "\(path(of: file)) has other entries with the numbers of this device. If a copy of this vault is in "
                    + "use elsewhere, make that copy a device of its own. If not, somebody else wrote the file. Then move the "
                    + "file away."
            )
        }
        return false
    }

    // MARK: Interrupted writes

    /// Deletes the temporary files of writes that were interrupted an hour ago or earlier.
    func removeAbandoned(among names: [FileName]) -> [FolderTrouble] {
        let abandoned = names.filter { name in
            guard let file = name.afterTemporary else { return false }
            return SegmentFileName(file.bytes) != nil || file.isCarried
        }
        return opened.removeAbandoned(abandoned, at: path, now: time(nil))
    }
}
