internal import WardAgentClient
internal import WardVault

/// The PIN and the fingerprint that verify the person.
struct VerificationMethods: Sendable {
    let session: VaultSession

    /// The state of PIN and fingerprint.
    ///
    /// It contains no secret, and no prompt appears.
    func status() async -> VerificationStatus.Result {
        var result = await session.verification
        result.fingerprintProblem = (await session.quick.reader.problem()).map { EnglishPrompts.text($0) }
        return result
    }

    func setPIN(_ method: SetPIN, _ program: ManagerProgram) async throws -> Done {
        try await session.working {
            let pin = try method.pin.map { (text) throws(AgentError) in try PIN(new: text.utf8) }
            let vault = try await session.openedByOwner(
                method.authorization,
                .person(program),
                to: pin == nil ? .removePIN : .setPIN
            )
            let effects = session.effects
            let verifier = try await onThread { () throws(VaultError) in
                try pin.map { (pin) throws(VaultError) in try PINVerifier(pin, effects) }
            }
            try await session.quick.change(vault) { $0.pin = verifier }
            return Done()
        }
    }

    func switchFingerprint(_ method: SwitchFingerprint, _ program: ManagerProgram) async throws -> Done {
        try await session.working {
            if method.isOn, let problem = await session.quick.reader.problem() {
                throw AgentError(.nothingAvailable, "fingerprints cannot be checked: \(EnglishPrompts.text(problem))")
            }
            let vault = try await session.openedByOwner(
                method.authorization,
                .person(program),
                to: method.isOn ? .switchFingerprintOn : .switchFingerprintOff
            )
            try await session.quick.change(vault) { $0.usesFingerprint = method.isOn }
            return Done()
        }
    }
}

extension VaultSession {
    /// The ways to verify the person without the passphrase.
    ///
    /// The fingerprint reader is not asked.
    nonisolated var verification: VerificationStatus.Result {
        get async {
            var result = VerificationStatus.Result(passphraseNeeded: quick.refusal?.rawValue)
            if let vault = await current, await !vault.isLocked {
                let settings = await quick.settings(of: vault)
                result.hasPIN = settings.pin != nil
                result.usesFingerprint = settings.usesFingerprint
            }
            return result
        }
    }
}
