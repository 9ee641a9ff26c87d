internal import WardAgentClient
internal import WardClient
internal import WardVault

extension AgentError {
    /// What a client hears of an error, and what to do next.
    init(reporting error: any Error) {
        switch error {
        case let error as AgentError: self = error
        case let error as VaultError: self.init(Code(rawValue: error.code.name), Self.sentence(error))
        case let error as OneTimePasswordError: self.init(.invalidValue, "this is no verification code: \(error)")
        case let error as ClientError: self.init(.ceremonyFailed, "\(error)")
        case is CancellationError: self.init(.denied, "the request was withdrawn")
        default: self.init(.failed, "something went wrong that should not: \(type(of: error))")
        }
    }

    private static func sentence(_ error: VaultError) -> String {
        let next: String? =
            switch error.code {
            case .vaultMissing: "ward init makes one"
            case .vaultExists: "ward unlock opens it"
            case .wrongPassphrase: "try again, or unlock with the recovery key: ward unlock --recovery-key"
            case .secretKeyMissing, .wrongSecretKey:
                "put the file secret-key of your backup in its place, or: ward unlock --recovery-key"
            case .rolledBack, .unknownDevice:
                "if you put this file there yourself, take it: ward unlock --trust-this-file"
            case .inUse: "end that process, then try again"
            case .damaged: "put your last backup in its place; nothing was changed"
            case .unknownVersion: "a later Ward wrote it: update this one"
            case .conflict: "read it again and repeat your change"
            case .diskFull: "make room; what was there is unharmed"
            case .locked: "ward unlock opens it"
            default: nil
            }
        guard let next else { return error.detail }
        return "\(error.detail): \(next)"
    }
}
