internal import WardAgentClient
internal import WardClient
internal import WardSync
internal import WardVault

extension AgentError {
    /// The text of an error for a client: what is wrong, and what to do next.
    init(reporting error: any Error) {
        switch error {
        case let error as AgentError: self = error
        case let refusal as PromptRefusal: self.init(refusal)
        case let error as VaultError: self.init(Code(rawValue: error.code.name), Self.sentence(error))
        case let error as FolderError: self.init(Code(rawValue: error.code.name), error.detail)
        case let error as ServerError: self.init(Code(rawValue: error.code.name), error.detail)
        case let error as MeetingError: self.init(error)
        case let error as PairingFault: self.init(error)
        case let error as OneTimePasswordError: self.init(.invalidValue, "this is not a verification code: \(error)")
        case let error as ClientError: self.init(.ceremonyFailed, "\(error)")
        case is CancellationError: self.init(.denied, "the request was withdrawn")
        default: self.init(.failed, "something went wrong that should not: \(type(of: error))")
        }
    }

    /// What is wrong, then what to do next.
    private static func sentence(_ error: VaultError) -> String {
        let problem = error.detail.prefix(1).uppercased() + error.detail.dropFirst()
        // Some say more exactly what to do.
        let hasStep = [.conflict, .vaultMissing].contains(error.code) && error.detail.contains(". ")
        guard let next = next(error.code), !hasStep else { return problem }
        return "\(problem). \(next)"
    }

    private static func next(_ code: VaultError.Code) -> String? {
        switch code {
        case .vaultMissing: "Create one: ward init. Or get it from another device: ward join"
        case .vaultExists: "Open it: ward unlock"
        case .wrongPassphrase: "Try again, or unlock with the recovery key: ward unlock --recovery-key"
        case .wrongRecoveryKey: "Compare it with the paper"
        case .secretKeyMissing, .wrongSecretKey:
            "Put the file secret-key in its place, or unlock with the recovery key: ward unlock --recovery-key"
        case .rolledBack, .unknownDevice:
            "If you put this file there yourself, accept it: ward unlock --trust-this-file"
        case .unprovenVault:
            "If it is yours, accept it: add --trust-unproven"
        case .forgedVault: "Do not use it. Restore your last backup: ward restore --from BACKUP --replace"
        case .inUse: "End that process, then try again"
        case .damaged:
            "Nothing was changed. Restore a backup: ward restore --from BACKUP --replace. Or save the rest: ward salvage"
        case .unknownVersion: "A later version of Ward wrote it. Update Ward"
        case .conflict: "Read it again and repeat your change"
        case .diskFull: "Free some space. What was there is unharmed"
        case .locked: "Open it: ward unlock"
        case .attachmentTooLarge: "Make the file smaller, or keep it elsewhere"
        case .notInCircle: "See: ward sync status"
        case .passphraseNeeded: "Type it: leave out --no-prompt, or add --passphrase-fd"
        case .tooManyAttachments: "Remove one first: ward attachment remove"
        default: nil
        }
    }
}
