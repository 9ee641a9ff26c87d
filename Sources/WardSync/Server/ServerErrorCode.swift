extension ServerError.Code {
    private init(_ known: Known) { self.init(name: known.rawValue) }

    // MARK: This device's findings

    /// No connection, no trusted certificate, or an answer that ends early.
    package static let unreachable = Self(.unreachable)
    /// The answer takes too long.
    package static let tooSlow = Self(.tooSlow)
    /// The server sends this device elsewhere.
    package static let redirected = Self(.redirected)
    /// The answer is too long, has another type, or is not what the protocol says.
    package static let wrongAnswer = Self(.wrongAnswer)
    /// The server shows entries and leaves out others that these name.
    package static let hides = Self(.hides)
    /// Entries of the server have a wrong signature or other data than they name.
    package static let wrongData = Self(.wrongData)
    /// The server has another host than the one that this device signs.
    package static let otherHost = Self(.otherHost)
    /// The server has more of the vault than a device takes that joins.
    package static let vaultTooLarge = Self(.vaultTooLarge)
    /// The server refused a request with a code that this version does not know.
    package static let refused = Self(.refused)

    // MARK: Sessions

    package static let sessionRequired = Self(.sessionRequired)
    package static let sessionRefused = Self(.sessionRefused)
    package static let deviceRemoved = Self(.deviceRemoved)
    package static let statementRefused = Self(.statementRefused)

    // MARK: Vaults

    package static let invitationRequired = Self(.invitationRequired)
    package static let invitationNotValid = Self(.invitationNotValid)
    package static let signInNotOffered = Self(.signInNotOffered)
    package static let signInRefused = Self(.signInRefused)
    package static let signInOver = Self(.signInOver)
    package static let tooManyVaults = Self(.tooManyVaults)
    package static let vaultExists = Self(.vaultExists)
    package static let vaultNotValid = Self(.vaultNotValid)

    // MARK: Entries

    package static let entryRefused = Self(.entryRefused)
    package static let entryVoid = Self(.entryVoid)
    package static let tooManyChains = Self(.tooManyChains)
    package static let blobWrong = Self(.blobWrong)
    package static let blobMissing = Self(.blobMissing)
    package static let gap = Self(.gap)
    package static let equivocation = Self(.equivocation)
    package static let numberAhead = Self(.numberAhead)
    package static let ifMatchRequired = Self(.ifMatchRequired)
    package static let headMoved = Self(.headMoved)
    package static let circleRootRequired = Self(.circleRootRequired)
    package static let circleRootNotFound = Self(.circleRootNotFound)
    package static let circleRootDiffers = Self(.circleRootDiffers)
    package static let quotaExceeded = Self(.quotaExceeded)

    // MARK: The service

    package static let notFound = Self(.notFound)
    package static let bodyTooLarge = Self(.bodyTooLarge)
    package static let tooManyRequests = Self(.tooManyRequests)
    package static let busy = Self(.busy)
    package static let unavailable = Self(.unavailable)
    package static let internalError = Self(.internalError)
}

extension ServerError.Code {
    /// The codes that this version knows.
    enum Known: String, CaseIterable {
        case unreachable = "server_unreachable"
        case tooSlow = "server_too_slow"
        case redirected = "server_redirects"
        case wrongAnswer = "server_answer_wrong"
        case hides = "server_hides_entries"
        case wrongData = "server_sends_wrong_data"
        case otherHost = "other_host"
        case vaultTooLarge = "vault_too_large"
        case refused = "server_refused"
        case sessionRequired = "session_required"
        case sessionRefused = "session_refused"
        case deviceRemoved = "device_removed"
        case statementRefused = "statement_refused"
        case invitationRequired = "invitation_required"
        case invitationNotValid = "invitation_not_valid"
        case signInNotOffered = "sign_in_not_offered"
        case signInRefused = "sign_in_refused"
        case signInOver = "sign_in_over"
        case tooManyVaults = "too_many_vaults"
        case vaultExists = "vault_exists"
        case vaultNotValid = "vault_not_valid"
        case entryRefused = "entry_refused"
        case entryVoid = "entry_void"
        case tooManyChains = "too_many_chains"
        case blobWrong = "blob_wrong"
        case blobMissing = "blob_missing"
        case gap = "gap"
        case equivocation = "equivocation"
        case numberAhead = "number_ahead"
        case ifMatchRequired = "if_match_required"
        case headMoved = "head_moved"
        case circleRootRequired = "circle_root_required"
        case circleRootNotFound = "circle_root_not_found"
        case circleRootDiffers = "circle_root_differs"
        case quotaExceeded = "quota_exceeded"
        case notFound = "not_found"
        case bodyTooLarge = "body_too_large"
        case tooManyRequests = "too_many_requests"
        case busy = "busy"
        case unavailable = "unavailable"
        case internalError = "internal_error"
    }
}

extension ServerError.Code.Known {
    /// What is wrong, then what to do next.
    func sentence(for purpose: ServerPurpose) -> String {
        switch self {
        case .unreachable:
            "The sync server cannot be reached, or its certificate is not trusted. Check the network and the address. Nothing "
                + "is lost: changes wait on this device. Ward tries again"
        case .tooSlow:
            "The sync server does not answer in time. Nothing is lost: changes wait on this device. Ward tries again"
        case .redirected:
            "This address leads to another one, and nothing was sent there. Name the address of the sync server itself: "
                + purpose.here
        case .wrongAnswer:
            "This address does not answer as a sync server does. Check the address: ward sync status"
        case .hides:
            "The sync server shows changes, and leaves out others on which they build. It may have lost them, or hide them. Nothing on "
                + "this device is lost. Sync your other devices with it. If this stays, ask the operator, or use another server: "
                + purpose.elsewhere
        case .wrongData:
            "The sync server sends changes that are damaged, or that none of your devices signed. Nothing of them was taken, and nothing "
                + "on this device is lost. Ask the operator, or use another server: \(purpose.elsewhere)"
        case .otherHost:
            "The sync server has another name than this address, so it lets no device in. Nothing is lost: changes wait on this "
                + "device. Ask the operator for the address, then: \(purpose.here). If you are the operator: --sync-host must be "
                + "the name in this address, with the port if it is not 443"
        case .vaultTooLarge:
            "The sync server has more of this vault than a new device takes. Look on a device that has the vault which device wrote so "
                + "much: ward devices. Through a folder a new device takes only what the vault must keep: ward join FOLDER"
        case .sessionRequired:
            "The sync server ended the session. Ward tries again when it syncs. Repeat any other command"
        case .sessionRefused:
            "The sync server does not have this vault, or does not know this device. Bring the vault there, with an account of the "
                + "server or an invitation of the operator: \(purpose.here)"
        case .deviceRemoved:
            "This device was removed from the vault, and the sync server gives it nothing more. What is on this device stays. If you "
                + "did not do this, run on another device: ward devices"
        case .invitationRequired:
            "The vault is not on this sync server yet. Bring it, with an account of the server or an invitation of the operator: "
                + purpose.here
        case .invitationNotValid:
            "The invitation was used, has expired, or never existed. Ask the operator for another one, then: \(purpose.here)"
        case .signInNotOffered:
            "Nobody can sign in at this sync server to bring a vault. Ask the operator for an invitation, then: \(purpose.here)"
        case .signInRefused:
            "The sign-in was refused in the browser. Nothing was brought. To try again: \(purpose.here)"
        case .signInOver:
            "The sign-in was not finished in time. To try again: \(purpose.here)"
        case .tooManyVaults:
            "This account has no room for another vault on the sync server. On the account page of the server, delete a vault that you "
                + "no longer need. Or ask the operator"
        case .vaultExists:
            "The vault is on this sync server already. To sync with it: \(purpose.here)"
        case .entryRefused:
            "The sync server refuses a change that this device has. It may be an older version. Other changes are synced. Tell the "
                + "operator to update it"
        case .entryVoid:
            "The sync server does not keep a change of a device that was removed. Look at the devices: ward devices"
        case .tooManyChains:
            "A device signed many changes twice, and the sync server keeps no more of them. Find that device and remove it: ward devices"
        case .blobWrong:
            "The content of a change is damaged in this vault, so it is not sent. Check the vault: ward log verify"
        case .blobMissing:
            "The sync server needs the content of an old change, which this device does not have any more. Another device may have it: "
                + "sync it with the server"
        case .gap:
            "The sync server lacks changes that this device does not have either. Sync your other devices with it"
        case .equivocation:
            "A device signed two changes with one number. See which device it was, and remove it: ward devices"
        case .numberAhead:
            "The sync server has lost changes. This device brings them back: ward sync now"
        case .headMoved:
            "Other devices change the vault at the same time. Ward tries again"
        case .circleRootDiffers:
            "Somebody told the sync server that another entry begins your circle of devices. It may be somebody else's work. Ask the "
                + "operator, and use another server until then: \(purpose.elsewhere)"
        case .quotaExceeded:
            "There is no room left for this vault on the sync server. Ask the operator for more"
        case .notFound:
            "There is no sync server at this address. Check it, then: \(purpose.here)"
        case .tooManyRequests:
            "This device asked the sync server too often. Ward tries again a little later"
        case .busy:
            "The sync server has too much to do. Ward tries again a little later"
        case .statementRefused, .vaultNotValid, .ifMatchRequired, .circleRootRequired, .circleRootNotFound,
            .bodyTooLarge, .unavailable, .internalError:
            "The sync server has a problem. Ward tries again. If it stays, tell the operator"
        case .refused:
            "The sync server refused a request, and this version of Ward does not know why. Update Ward, then: ward sync now"
        }
    }
}
