/// Whole files, as programs for syncing carry them: read with a limit, and written so that no reader gets a part.
extension OpenFolder {
    // MARK: Folders

    /// Opens folders inside each other, and follows no link.
    ///
    /// - Parameters:
    ///   - parts: The names, from the outermost to the innermost.
    ///   - folder: The folder that the person named, which may be a link.
    /// - Returns: The innermost folder, or `nil` if one of them is not there.
    /// - Throws: ``FolderTrouble``, also if the folder that the person named is not there.
    static func existing(_ parts: [FileName], in folder: String) throws(FolderTrouble) -> OpenFolder? {
        var place = folder.printable
        var opened: OpenFolder
        do {
            opened = try OpenFolder.at(folder)
        } catch {
            throw FolderTrouble(.open, place, error)
        }
        for part in parts {
            place += "/" + part.text
            do {
                opened = try opened.folder(part)
            } catch {
                if error.isMissing { return nil }
                throw FolderTrouble(.open, place, error)
            }
        }
        return opened
    }

    /// The same, and creates the folders that are not there.
    ///
    /// The folder that the person named is never created: an empty place where a drive should be looks the same.
    ///
    /// - Throws: ``FolderError``.
    static func making(_ parts: [FileName], in folder: String) throws(FolderError) -> OpenFolder {
        var opened: OpenFolder
        do {
            opened = try OpenFolder.at(folder)
        } catch {
            throw FolderError(error, folder.printable)
        }
        for part in parts {
            do {
                let isNew = try opened.makeFolder(part)
                if isNew { try opened.synchronize() }
                opened = try opened.folder(part)
            } catch {
                throw FolderError(error, ([folder.printable] + parts.map(\.text)).joined(separator: "/"))
            }
        }
        return opened
    }

    // MARK: Reading

    /// The status of a file that may be read; nothing is opened.
    ///
    /// - Throws: ``FolderTrouble`` if it is not a regular file, or longer than the limit.
    func regularFile(_ name: FileName, upTo limit: Int, at place: String) throws(FolderTrouble) -> FileStatus {
        let found: FileStatus
        do {
            found = try status(of: name)
        } catch {
            throw FolderTrouble(.open, place, error)
        }
        if let reason = found.refusal(upTo: limit) { throw FolderTrouble(.open, place, reason) }
        return found
    }

    /// Reads a file, whole and unchanged.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - limit: The most bytes that are read.
    ///   - place: The path of the file, for people.
    ///   - steps: Where the step is reported.
    /// - Returns: The contents, and the status of the file.
    /// - Throws: ``FolderTrouble``.
    func contents(
        of name: FileName,
        upTo limit: Int,
        at place: String,
        _ steps: FolderSteps
    ) throws(FolderTrouble) -> (bytes: [UInt8], status: FileStatus) {
        // Opening a device can have effects, so its kind is known before.
        _ = try regularFile(name, upTo: limit, at: place)
        try? steps.willDo(.open(place))
        let opened: OpenFile
        let before: FileStatus
        do {
            opened = try file(name)
            before = try opened.status()
        } catch {
            throw FolderTrouble(.open, place, error)
        }
        if let reason = before.refusal(upTo: limit) { throw FolderTrouble(.open, place, reason) }
        let bytes: [UInt8]
        let after: FileStatus
        do {
            bytes = try opened.contents(before.size)
            after = try opened.status()
        } catch {
            throw FolderTrouble(.read, place, error)
        }
        guard bytes.count == before.size, after == before else { throw FolderTrouble(.read, place, .changing) }
        return (bytes, before)
    }

    // MARK: Writing

    /// Writes a file, or replaces what has its name; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - name: The name of the file.
    ///   - place: The path of this folder, for people.
    ///   - steps: Where the steps are reported.
    /// - Throws: ``FolderError``.
    func place(_ bytes: [UInt8], as name: FileName, at place: String, _ steps: FolderSteps) throws(FolderError) {
        let path = place + "/" + name.text
        let temporary = name.temporary()
        do throws(FolderError) {
            try steps.willDo(.create(path))
            try write(bytes, temporary, at: path)
            try steps.willDo(.rename(path))
            do {
                try rename(temporary, to: name)
            } catch {
                throw FolderError(error, path)
            }
            try synchronize(at: place, steps)
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Waits until the names in the folder are on the disk.
    func synchronize(at place: String, _ steps: FolderSteps) throws(FolderError) {
        try steps.willDo(.synchronize(place))
        do {
            try synchronize()
        } catch {
            throw FolderError(error, place)
        }
    }

    private func write(_ bytes: [UInt8], _ temporary: FileName, at path: String) throws(FolderError) {
        do {
            let output = try newFile(temporary)
            try output.write(bytes)
            try output.synchronize()
        } catch {
            throw FolderError(error, path)
        }
    }

    /// Deletes those of these temporary files that are older than an hour.
    ///
    /// - Returns: What went wrong.
    func removeAbandoned(_ names: [FileName], at place: String, now: Int) -> [FolderTrouble] {
        var troubles: [FolderTrouble] = []
        for name in names {
            do {
                let status = try status(of: name)
                if status.kind == .file, status.seconds < now - FolderLimits.abandonedAfter { try remove(name) }
            } catch {
                if !error.isMissing { troubles.append(FolderTrouble(.clean, place + "/" + name.text, error)) }
            }
        }
        return troubles
    }
}

extension FileStatus {
    /// Why a file with this status is not read.
    fileprivate func refusal(upTo limit: Int) -> FolderTrouble.Reason? {
        switch kind {
        case .link: .link
        case .folder, .other: .notFile
        case .file: (0...limit).contains(size) ? nil : .tooLarge(size: size)
        }
    }
}

extension FileName {
    private static let temporaryEnding = ".tmp"

    /// A name for a file until it has all of its contents, which no program for syncing takes for the file.
    func temporary() -> FileName {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return FileName(Array(".".utf8) + bytes + Array(".\(random)\(Self.temporaryEnding)".utf8))
    }

    /// The name that a file gets when it has all of its contents; `nil` if this is not the name of a temporary file.
    var afterTemporary: FileName? {
        guard isHidden, hasSuffix(Self.temporaryEnding) else { return nil }
        let rest = bytes.dropFirst().dropLast(Self.temporaryEnding.utf8.count)
        guard let end = rest.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return FileName(Array(rest[..<end]))
    }
}
