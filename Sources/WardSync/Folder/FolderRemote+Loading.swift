extension FolderRemote {
    /// Opens the vault's folder.
    ///
    /// - Returns: `nil` if no device has written yet.
    /// - Throws: ``FolderTrouble``, also if the folder that the person named is not there.
    func vaultFolder() throws(FolderTrouble) -> OpenFolder? {
        var opened: OpenFolder
        do {
            opened = try OpenFolder.at(folder)
        } catch {
            throw FolderTrouble(.open, folder.printable, error)
        }
        for (name, place) in [(Self.root, folder.printable + "/" + Self.root.text), (vaultName, path())] {
            do {
                opened = try opened.folder(name)
            } catch {
                if error.isMissing { return nil }
                throw FolderTrouble(.open, place, error)
            }
        }
        return opened
    }

    /// The status of a file that may be a segment; nothing is opened.
    ///
    /// - Throws: ``FolderTrouble`` if it is not a regular file, or longer than a segment.
    func status(
        of name: FileName,
        in folder: OpenFolder,
        _ folderName: FileName
    ) throws(FolderTrouble) -> FileStatus {
        let place = path(folderName, name)
        let found: FileStatus
        do {
            found = try folder.status(of: name)
        } catch {
            throw FolderTrouble(.open, place, error)
        }
        if let reason = Self.refusal(found) { throw FolderTrouble(.open, place, reason) }
        return found
    }

    /// Reads a segment, whole and unchanged.
    ///
    /// At most ``SegmentLimits/segment`` bytes are read.
    ///
    /// - Throws: ``FolderTrouble``.
    func load(_ name: FileName, in folder: OpenFolder, _ folderName: FileName) throws(FolderTrouble) -> Segment {
        let place = path(folderName, name)
        // Opening a device can have effects, so its kind is known before.
        _ = try status(of: name, in: folder, folderName)
        try? willDo(.open(place))
        let file: OpenFile
        let before: FileStatus
        do {
            file = try folder.file(name)
            before = try file.status()
        } catch {
            throw FolderTrouble(.open, place, error)
        }
        if let reason = Self.refusal(before) { throw FolderTrouble(.open, place, reason) }
        let bytes: [UInt8]
        let after: FileStatus
        do {
            bytes = try file.contents(before.size)
            after = try file.status()
        } catch {
            throw FolderTrouble(.read, place, error)
        }
        guard bytes.count == before.size, after == before else { throw FolderTrouble(.read, place, .changing) }
        do {
            return try Segment.decode(bytes, SegmentIdentity(folderName, name, before), of: vault)
        } catch {
            throw FolderTrouble(.check, place, .segment(error))
        }
    }

    /// Why a file with this status is not read.
    private static func refusal(_ status: FileStatus) -> FolderTrouble.Reason? {
        switch status.kind {
        case .link: .link
        case .folder, .other: .notFile
        case .file: (0...SegmentLimits.segment).contains(status.size) ? nil : .tooLarge(size: status.size)
        }
    }
}

extension SegmentIdentity {
    init(_ folder: FileName, _ file: FileName, _ status: FileStatus) {
        self.init(folder: folder.bytes, file: file.bytes, size: status.size, modified: status.modified)
    }
}
