extension ServerError {
    /// The same for a person whose command has ended: nothing tries again by itself.
    package var endingCommand: Self { saying(code.ending(for: .syncing)) }

    /// The same for a person whose device joins: there is no vault yet, and nothing to sync.
    package var whileJoining: Self { saying((Code.Known(rawValue: code.name) ?? .refused).whileJoining) }

    private func saying(_ sentence: String) -> Self {
        var error = self
        error.detail = sentence
        return error
    }
}

extension ServerError.Code.Known {
    /// What is wrong, then what to do next, after a command that does something once.
    func ending(for purpose: ServerPurpose) -> String {
        switch self {
        case .unreachable:
            "The sync server cannot be reached, or its certificate is not trusted. Nothing is lost. Check the network and the address, "
                + "then run the command again"
        case .tooSlow: "The sync server does not answer in time. Nothing is lost. Run the command again"
        case .wrongAnswer:
            "This address does not answer as a sync server does. Check the address: \(purpose.here)"
        case .otherHost:
            "The sync server has another name than this address, so it lets no device in. Nothing is lost. Ask the operator for the "
                + "address, then: \(purpose.here). If you are the operator: --sync-host must be the name in this address, with the port if "
                + "it is not 443"
        case .sessionRequired: "The sync server ended the session. Run the command again"
        case .headMoved: "Other devices change the vault at the same time. Run the command again"
        case .tooManyRequests: "This device asked the sync server too often. Wait a little, then run the command again"
        case .busy: "The sync server has too much to do. Wait a little, then run the command again"
        case .statementRefused, .vaultNotValid, .ifMatchRequired, .circleRootRequired, .circleRootNotFound,
            .bodyTooLarge, .unavailable, .internalError:
            "The sync server has a problem. Run the command again. If it stays, tell the operator"
        case .refused:
            "The sync server refused a request, and this version of Ward does not know why. Update Ward, then run the "
                + "command again"
        default: sentence(for: purpose)
        }
    }

    /// What is wrong, then what to do next, on a device that joins.
    var whileJoining: String {
        switch self {
        case .unreachable:
            "The sync server cannot be reached, or its certificate is not trusted. Check the network and the address. \(Self.then)"
        case .tooSlow: "The sync server does not answer in time. \(Self.then)"
        case .redirected:
            "This address leads to another one, and nothing was sent there. \(Self.compare)"
        case .wrongAnswer: "This address does not answer as a sync server does. \(Self.compare)"
        case .notFound: "There is no sync server at this address. \(Self.compare)"
        case .otherHost: "The sync server has another name than this address, so it lets no device in. \(Self.compare)"
        case .hides:
            "The sync server shows changes, and leaves out others on which they build. It may have lost them, or hide them. On the "
                + "other device: ward sync now. \(Self.then)"
        case .wrongData:
            "The sync server sends changes that are damaged or that nobody signed, and nothing of them was taken. Ask the operator, or "
                + "join over a folder: ward join FOLDER"
        case .vaultTooLarge: sentence(for: .syncing)
        case .sessionRequired: "The sync server ended the session. \(Self.then)"
        case .deviceRemoved:
            "This device was removed from the vault before it joined. If you did not do this, look at the devices on the other device: "
                + "ward devices"
        case .tooManyRequests: "This device asked the sync server too often. Wait a little. \(Self.then)"
        case .busy: "The sync server has too much to do. Wait a little. \(Self.then)"
        case .refused:
            "The sync server refused a request, and this version of Ward does not know why. Update Ward. \(Self.then)"
        default: "The sync server has a problem. \(Self.then). If it stays, tell the operator"
        }
    }

    private static let then = "Make a new code on the other device: ward devices add"
    private static let compare =
        "Compare the address with the one that the other device shows with a new code: ward devices add"
}
