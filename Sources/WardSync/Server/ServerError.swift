package import WardText

/// Why a sync server did not do what this device asked for.
///
/// Errors are equal if their codes are. The sentences are this program's own: nothing that a server writes is shown.
package struct ServerError: CodedError {
    /// The kind of problem: the code of the server's problem document, or one of this device.
    package struct Code: ErrorCode {
        /// A stable word for logs and JSON.
        package let name: String

        init(name: String) { self.name = name }
    }

    /// The kind of problem.
    package let code: Code
    /// What is wrong, and what to do.
    package let detail: String
    /// The HTTP status; `nil` if there was no answer.
    package var status: UInt?
    /// The number of seconds after which to try again, if the server said so.
    package var retryAfter: Int64?
    /// The members of the problem document.
    ///
    /// They come from outside: a caller checks what it uses.
    package var members: [JSONValue.Member] = []

    package init(_ code: Code, status: UInt? = nil) {
        self.code = code
        self.detail = code.sentence
        self.status = status
    }

    /// The hashes in a member of the problem document.
    package func hashes(_ name: String) -> [[UInt8]] {
        let values = members[name]?.arrayValue ?? members[name].map { [$0] } ?? []
        return values.compactMap { $0.stringValue.flatMap { Hex.decode($0) } }.filter { $0.count == 32 }
    }
}

extension ServerError.Code {
    // MARK: This device's findings

    /// No connection, no trusted certificate, or an answer that ends early.
    package static let unreachable = Self(name: "server_unreachable")
    /// The answer takes too long.
    package static let tooSlow = Self(name: "server_too_slow")
    /// The server sends this device elsewhere.
    package static let redirected = Self(name: "server_redirects")
    /// The answer is too long, has another type, or is not what the protocol says.
    package static let wrongAnswer = Self(name: "server_answer_wrong")
    /// The server shows entries and leaves out others that these name.
    package static let hides = Self(name: "server_hides_entries")
    /// Entries of the server have a wrong signature or other data than they name.
    package static let wrongData = Self(name: "server_sends_wrong_data")
    /// The server refused a request with a code that this version does not know.
    package static let refused = Self(name: "server_refused")

    // MARK: Sessions

    package static let sessionRequired = Self(name: "session_required")
    package static let sessionRefused = Self(name: "session_refused")
    package static let deviceRemoved = Self(name: "device_removed")
    package static let statementRefused = Self(name: "statement_refused")

    // MARK: Vaults

    package static let invitationRequired = Self(name: "invitation_required")
    package static let invitationNotValid = Self(name: "invitation_not_valid")
    package static let signInNotOffered = Self(name: "sign_in_not_offered")
    package static let signInRefused = Self(name: "sign_in_refused")
    package static let signInOver = Self(name: "sign_in_over")
    package static let tooManyVaults = Self(name: "too_many_vaults")
    package static let vaultExists = Self(name: "vault_exists")
    package static let vaultNotValid = Self(name: "vault_not_valid")

    // MARK: Entries

    package static let entryRefused = Self(name: "entry_refused")
    package static let entryVoid = Self(name: "entry_void")
    package static let tooManyChains = Self(name: "too_many_chains")
    package static let blobWrong = Self(name: "blob_wrong")
    package static let blobMissing = Self(name: "blob_missing")
    package static let gap = Self(name: "gap")
    package static let equivocation = Self(name: "equivocation")
    package static let numberAhead = Self(name: "number_ahead")
    package static let ifMatchRequired = Self(name: "if_match_required")
    package static let headMoved = Self(name: "head_moved")
    package static let circleRootRequired = Self(name: "circle_root_required")
    package static let circleRootNotFound = Self(name: "circle_root_not_found")
    package static let circleRootDiffers = Self(name: "circle_root_differs")
    package static let quotaExceeded = Self(name: "quota_exceeded")

    // MARK: The service

    package static let notFound = Self(name: "not_found")
    package static let bodyTooLarge = Self(name: "body_too_large")
    package static let tooManyRequests = Self(name: "too_many_requests")
    package static let busy = Self(name: "busy")
    package static let unavailable = Self(name: "unavailable")
    package static let internalError = Self(name: "internal_error")
}

extension ServerError.Code {
    /// What is wrong, then what to do next.
    fileprivate var sentence: String { Self.sentences[self] ?? Self.unknown }

    /// Whether this version knows the code.
    package var isKnown: Bool { Self.sentences[self] != nil }

    private static let unknown =
        "The sync server refused a request, and this version of Ward does not know why. Update Ward, then: ward sync now"
    private static let operatorLooks = "The sync server has a problem. Ward tries again. If it stays, tell the operator"

    private static let sentences: [Self: String] = [
        .unreachable:
            "The sync server cannot be reached, or its certificate is not trusted. Check the network and the address. Ward tries again",
        .tooSlow: "The sync server does not answer in time. Ward tries again",
        .redirected:
            "This address leads to another one. Name the address of the sync server itself: ward sync on ADDRESS",
        .wrongAnswer: "This address does not answer as a sync server does. Check the address: ward sync status",
        .sessionRequired: "The sync server ended the session. Ward tries again",
        .sessionRefused:
            "The sync server does not have this vault, or does not know this device. Bring the vault there, with an account of the "
            + "server or an invitation of the operator: ward sync on ADDRESS",
        .deviceRemoved:
            "This device was removed from the vault, and the sync server gives it nothing more. If you did not do this, look at the "
            + "devices on another one: ward devices",
        .invitationRequired:
            "The vault is not on this sync server yet. Bring it, with an account of the server or an invitation of the operator: "
            + "ward sync on ADDRESS",
        .invitationNotValid:
            "The invitation was used, has expired, or never existed. Ask the operator for another one, then: ward sync on ADDRESS",
        .signInNotOffered:
            "Nobody can sign in at this sync server to bring a vault. Ask the operator for an invitation, then: ward sync on ADDRESS",
        .signInRefused:
            "The sign-in was refused in the browser. Nothing was brought. To try again: ward sync on ADDRESS",
        .signInOver: "The sign-in was not finished in time. To try again: ward sync on ADDRESS",
        .tooManyVaults:
            "This account has no room for another vault on the sync server. Ask the operator, who can also delete one that you no longer "
            + "need",
        .vaultExists: "The vault is on this sync server already. To sync with it: ward sync on ADDRESS",
        .vaultNotValid: operatorLooks,
        .statementRefused: operatorLooks,
        .entryRefused:
            "The sync server refuses a change that this device has. It may be an older version. Other changes are synced. Tell the "
            + "operator to update it",
        .entryVoid:
            "The sync server does not keep a change of a device that was removed. Look at the devices: ward devices",
        .tooManyChains:
            "A device signed many changes twice, and the sync server keeps no more of them. Remove this device: ward devices",
        .blobWrong:
            "The content of a change is damaged in this vault, so it is not sent. Check the vault: ward log verify",
        .blobMissing:
            "The sync server needs the content of an old change, which this device does not have any more. Another device may have it: "
            + "sync it with the server",
        .gap: "The sync server lacks changes that this device does not have either. Sync your other devices with it",
        .equivocation: "A device signed two changes with one number. Look which one, and remove it: ward devices",
        .numberAhead: "The sync server has lost changes. This device brings them back: ward sync now",
        .headMoved: "Other devices change the vault at the same time. Ward tries again",
        .ifMatchRequired: operatorLooks,
        .circleRootRequired: operatorLooks,
        .circleRootNotFound: operatorLooks,
        .circleRootDiffers:
            "Somebody told the sync server that another entry begins your circle of devices. It may be somebody else's work. Ask the "
            + "operator, and use another server until then: ward sync on ADDRESS",
        .quotaExceeded: "There is no room left for this vault on the sync server. Ask the operator for more",
        .notFound: "There is no sync server at this address. Check it, then: ward sync on ADDRESS",
        .bodyTooLarge: operatorLooks,
        .tooManyRequests: "This device asked the sync server too often. Ward tries again a little later",
        .busy: "The sync server has too much to do. Ward tries again a little later",
        .unavailable: operatorLooks,
        .internalError: operatorLooks,
        .refused: unknown,
    ]
}
