package import WardVault

// MARK: A member of the circle

extension PairingFolder {
    /// Reads the requests of new devices, the newest first.
    ///
    /// Each is whole and has the signature of its device, and anybody who can write into the folder can have written it.
    /// Requests older than ``PairingRequest/lifetime`` are left out, which is a trouble: the clock of a new device can be behind. It is
    /// no trouble if nobody has posted a request yet.
    ///
    /// - Parameter now: The time in seconds since 1970.
    /// - Returns: The requests, at most ``FolderLimits/requests``, and what could not be read.
    /// - Throws: ``FolderError`` if the folder itself cannot be opened.
    package func requests(
        now: Int64
    ) throws(FolderError) -> (requests: [PairingRequest], troubles: [FolderTrouble]) {
        try checkFolder()
        do {
            guard let opened = try OpenFolder.existing(Self.parts, in: folder) else { return ([], []) }
            var (requests, troubles) = readRequests(in: opened)
            if requests.contains(where: { $0.isOld(now) }) {
                troubles.append(FolderTrouble(.check, path, .oldRequests))
            }
            requests = requests.filter { !$0.isOld(now) }.sorted { $0.time > $1.time }
            if requests.count > FolderLimits.requests {
                troubles.append(FolderTrouble(.list, path, .tooManyRequests))
                requests.removeLast(requests.count - FolderLimits.requests)
            }
            return (requests, troubles)
        } catch {
            return ([], [error])
        }
    }

    /// Writes the reply to a request, or replaces it; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - reply: The bytes of the reply.
    ///   - request: A request that was read here.
    /// - Throws: ``FolderError``.
    package func post(reply: [UInt8], to request: PairingRequest) throws(FolderError) {
        let opened = try OpenFolder.making(Self.parts, in: folder)
        try opened.place(reply, as: PairingFileName(request, .reply).file, at: path, steps)
    }

    /// Deletes requests older than ``PairingRequest/lifetime``, replies to them, and files of interrupted writes.
    ///
    /// The file of a request must be as old too: a device whose clock is behind waits for an answer. What cannot be deleted stays.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package func removeOld(now: Int64) {
        guard let opened = try? OpenFolder.existing(Self.parts, in: folder),
            let names = try? opened.names(limit: FolderLimits.files).names
        else { return }
        let abandoned = names.filter { $0.afterTemporary.flatMap { PairingFileName($0) } != nil }
        _ = opened.removeAbandoned(abandoned, at: path, now: Int(now))
        for request in readRequests(in: opened).requests where request.isOld(now) {
            let arrival = try? opened.arrival(of: PairingFileName(request, .request).file)
            guard let arrival, Int64(arrival) < now - PairingRequest.lifetime else { continue }
            Self.remove(request, in: opened)
        }
    }

    /// The requests in the folder, in the order of their names.
    private func readRequests(in opened: OpenFolder) -> (requests: [PairingRequest], troubles: [FolderTrouble]) {
        var requests: [PairingRequest] = []
        var troubles: [FolderTrouble] = []
        do {
            let (names, hasMore) = try opened.names(limit: FolderLimits.files)
            if hasMore { troubles.append(FolderTrouble(.list, path, .tooManyFiles)) }
            // Names that begin with a dot belong to the programs that copy the folder, and to interrupted writes.
            let listed = names.filter { !$0.isHidden && $0.hasSuffix(PairingFileName.Kind.request.rawValue) }
            if listed.count > FolderLimits.requestFiles {
                troubles.append(FolderTrouble(.list, path, .tooManyRequests))
            }
            for name in listed.prefix(FolderLimits.requestFiles) {
                do throws(FolderTrouble) {
                    requests.append(try request(name, in: opened))
                } catch {
                    troubles.append(error)
                }
            }
        } catch {
            troubles.append(FolderTrouble(.list, path, error))
        }
        return (requests, troubles)
    }

    private func request(_ name: FileName, in opened: OpenFolder) throws(FolderTrouble) -> PairingRequest {
        let place = path(name)
        let bytes = try opened.contents(of: name, upTo: PairingRequest.maximumLength, at: place, steps).bytes
        let request: PairingRequest
        do {
            request = try PairingRequest(encoded: bytes)
        } catch {
            throw FolderTrouble(.check, place, .request(error))
        }
        // The reply gets the name, and so does the code that removes the request.
        guard name == PairingFileName(request, .request).file else { throw FolderTrouble(.check, place, .misnamed) }
        return request
    }
}
