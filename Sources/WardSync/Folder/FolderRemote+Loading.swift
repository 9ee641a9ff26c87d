extension FolderRemote {
    /// Opens the vault's folder.
    ///
    /// - Returns: `nil` if no device has written yet.
    /// - Throws: ``FolderTrouble``, also if the folder that the person named is not there.
    func vaultFolder() throws(FolderTrouble) -> OpenFolder? {
        try OpenFolder.existing([Self.root, vaultName], in: folder)
    }

    /// The status of a file that may be a segment; nothing is opened.
    ///
    /// - Throws: ``FolderTrouble`` if it is not a regular file, or longer than a segment.
    func status(
        of name: FileName,
        in folder: OpenFolder,
        _ folderName: FileName
    ) throws(FolderTrouble) -> FileStatus {
        try folder.regularFile(name, upTo: SegmentLimits.segment, at: path(folderName, name))
    }

    /// Reads a segment, whole and unchanged.
    ///
    /// At most ``SegmentLimits/segment`` bytes are read.
    ///
    /// - Throws: ``FolderTrouble``.
    func load(_ name: FileName, in folder: OpenFolder, _ folderName: FileName) throws(FolderTrouble) -> Segment {
        let place = path(folderName, name)
        let (bytes, status) = try folder.contents(of: name, upTo: SegmentLimits.segment, at: place, steps)
        do {
            return try Segment.decode(bytes, SegmentIdentity(folderName, name, status), of: vault)
        } catch {
            throw FolderTrouble(.check, place, .segment(error))
        }
    }
}

extension SegmentIdentity {
    init(_ folder: FileName, _ file: FileName, _ status: FileStatus) {
        self.init(folder: folder.bytes, file: file.bytes, size: status.size, modified: status.modified)
    }
}
