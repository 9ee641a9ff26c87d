internal import Crypto
internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Opens the vault with a PIN that this machine's TPM checks.
///
/// Two secrets of the TPM are needed. The TPM releases the first one for the right PIN, and counts wrong PINs towards its own
/// lock-out. The second one is created each time the person types the passphrase. The TPM releases it until the next restart of
/// the machine, for 14 days at most: the TPM itself checks its number of restarts and its clock. So an attacker who changes
/// files gets no more attempts and no more time.
final class QuickUnlock: Sendable {
    /// How long quick unlock works after the passphrase was typed, in milliseconds.
    static let validity: UInt64 = 14 * 86_400_000
    /// The number of wrong PINs after which the passphrase is needed.
    ///
    /// The TPM may allow fewer.
    static let tries = 5

    private let path: String
    private let tpm: String
    private let effects: Effects
    private let wrong = Mutex(0)
    private let isRenewalDue = Mutex(false)
    private let turns = Turns()

    init(location: VaultLocation, tpm: String, effects: Effects) {
        path = location.stateDirectory + "/" + QuickUnlockFile.name
        self.tpm = tpm
        self.effects = effects
    }

    // MARK: What there is

    /// Whether the person switched quick unlock on for this vault.
    func isOn(_ vault: Vault) -> Bool { file(of: vault) != nil }

    /// Whether a PIN can open the vault now.
    func isReady(_ vault: Vault) -> Bool { file(of: vault)?.pass != nil && wrong.withLock { $0 < Self.tries } }

    /// The reason why the TPM cannot be used, or `nil` if it can be used.
    func problem() async -> AgentError? {
        do throws(TPMError) {
            try await onThread { [tpm] () throws(TPMError) in _ = try TPM(tpm) }
            return nil
        } catch {
            return AgentError(error)
        }
    }

    private func file(of vault: Vault) -> QuickUnlockFile? {
        guard let file = QuickUnlockFile(path: path), file.vault == vault.identity else { return nil }
        return file
    }

    // MARK: Switching

    /// Switches quick unlock on with a PIN.
    ///
    /// The vault is open, and the person typed its passphrase moments ago.
    ///
    /// - Throws: `AgentError`, or `VaultError`.
    func switchOn(_ vault: Vault, _ pin: PIN) async throws {
        try await turns.next { [self] in try await switchOnInTurn(vault, pin) }
    }

    private func switchOnInTurn(_ vault: Vault, _ pin: PIN) async throws {
        let key = Curve25519.KeyAgreement.PrivateKey()
        let rule = TPM.Rule.pin(Self.authorization(pin.digits, vault))
        let sealed: [UInt8]
        do throws(TPMError) {
            sealed = try await onThread { [tpm] () throws(TPMError) in
                try TPM(tpm).seal([UInt8](key.rawRepresentation), rule)
            }
        } catch {
            throw AgentError(error)
        }
        var file = QuickUnlockFile(
            vault: vault.identity,
            publicKey: [UInt8](key.publicKey.rawRepresentation),
            sealedPrivateKey: sealed
        )
        file.pass = try await pass(vault, file.publicKey)
        try file.write(path)
        wrong.withLock { $0 = 0 }
    }

    /// Switches quick unlock off.
    ///
    /// The old contents of the file no longer open anything.
    ///
    /// - Throws: `AgentError` with `failed` when the file stays.
    func switchOff() async throws {
        try await turns.next { [path] in
            guard unsafe unlink(path) == 0 || errno == ENOENT else {
                throw AgentError(.failed, "\(path.pathForPrompt) cannot be removed")
            }
        }
    }

    // MARK: The passphrase

    /// The passphrase was right, so the PIN may open the vault again.
    func passphraseWasRight() {
        wrong.withLock { $0 = 0 }
        isRenewalDue.withLock { $0 = true }
    }

    /// Lets the PIN work for another 14 days, if the passphrase was typed since the last time.
    func renewIfDue(_ vault: Vault) async {
        guard await !vault.isLocked else { return }
        let isDue = isRenewalDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        guard isDue else { return }
        try? await turns.next { [self] in
            guard var file = file(of: vault) else { return }
            file.pass = try await pass(vault, file.publicKey)
            try file.write(path)
        }
    }

    private func pass(_ vault: Vault, _ publicKey: [UInt8]) async throws -> QuickUnlockFile.Pass {
        let keys = try await vault.sealKeys(to: publicKey)
        let secret = effects.randomBytes(32)
        do throws(TPMError) {
            return try await onThread { [tpm] () throws(TPMError) in
                let tpm = try TPM(tpm)
                let now = try tpm.clock()
                let until = now.milliseconds + Self.validity
                guard let box = try? AES.GCM.seal(keys.ciphertext, using: SymmetricKey(data: secret)).combined else {
                    throw .failed(0)
                }
                return QuickUnlockFile.Pass(
                    resets: now.resets,
                    until: until,
                    sealedKey: try tpm.seal(secret, .run(resets: now.resets, until: until)),
                    encapsulated: keys.encapsulated,
                    ciphertext: [UInt8](box)
                )
            }
        } catch {
            throw AgentError(error)
        }
    }

    // MARK: Unlocking

    /// The reason why a PIN did not open the vault.
    struct Failure: Hashable, Sendable {
        /// The sentence for the person.
        var sentence: PromptSentence
        /// Whether the person may try another PIN.
        var mayTryAgain = false
    }

    /// Opens the vault.
    ///
    /// - Returns: `nil` when it is open.
    func unlock(_ vault: Vault, pin typed: [UInt8]) async -> Failure? {
        do {
            return try await turns.next { [self] in await unlockInTurn(vault, typed) }
        } catch {
            return Failure(sentence: .pinIsNotChecked)
        }
    }

    private func unlockInTurn(_ vault: Vault, _ typed: [UInt8]) async -> Failure? {
        guard isReady(vault), let file = file(of: vault), let pass = file.pass else {
            return Failure(sentence: .pinNeedsPassphrase)
        }
        let rule = TPM.Rule.pin(Self.authorization(typed, vault))
        // The attempt is counted before the TPM checks the PIN.
        wrong.withLock { $0 += 1 }
        do throws(TPMError) {
            let (sealed, key) = try await onThread { [tpm] () throws(TPMError) in
                let tpm = try TPM(tpm)
                // The secret without a PIN is opened first. If that fails, the TPM is not asked about the PIN, so no attempt is
                // wasted.
                let secret = try tpm.unseal(pass.sealedKey, .run(resets: pass.resets, until: pass.until))
                let key = try tpm.unseal(file.sealedPrivateKey, rule)
                guard let box = try? AES.GCM.SealedBox(combined: pass.ciphertext),
                    let ciphertext = try? AES.GCM.open(box, using: SymmetricKey(data: secret))
                else { throw .foreign }
                return (
                    DeviceSealedKeys(encapsulated: pass.encapsulated, ciphertext: [UInt8](ciphertext)), key
                )
            }
            var privateKey = key
            do {
                try await vault.unlock(sealed, privateKey: &privateKey)
            } catch {
                wrong.withLock { $0 -= 1 }
                return Failure(sentence: .pinOpensNothing)
            }
            wrong.withLock { $0 = 0 }
            return nil
        } catch {
            return failure(error, file)
        }
    }

    private func failure(_ error: TPMError, _ file: QuickUnlockFile) -> Failure {
        guard error == .wrongPIN else {
            wrong.withLock { $0 -= 1 }
            return Failure(sentence: PromptSentence(error))
        }
        let left = Self.tries - wrong.withLock { $0 }
        guard left > 0 else {
            var file = file
            file.pass = nil
            try? file.write(path)
            return Failure(sentence: .wrongTooOften)
        }
        return Failure(sentence: .wrongPIN(left: left), mayTryAgain: true)
    }

    /// The value for the TPM: 32 bytes, computed from the PIN and the vault's ID.
    private static func authorization(_ digits: [UInt8], _ vault: Vault) -> [UInt8] {
        var bytes = Array(SHA256.hash(data: Array("ward/v1/quick-unlock".utf8) + vault.identity + digits))
        // A TPM removes zeros at the end of the value.
        bytes[bytes.count - 1] |= 1
        return bytes
    }
}

extension PromptSentence {
    /// What the prompt says if the PIN cannot open the vault, for any reason but a wrong PIN.
    fileprivate init(_ error: TPMError) {
        self =
            switch error {
            case .lockedOut: .pinIsLockedOut
            case .otherState: .pinIsOver
            case .foreign: .pinIsUnknown
            case .wrongPIN, .libraryMissing, .unreachable, .failed: .pinIsNotChecked
            }
    }
}

extension AgentError {
    /// The problem with the TPM, and what to do next.
    init(_ error: TPMError) {
        switch error {
        case .libraryMissing:
            self.init(
                .nothingAvailable,
                "tpm2-tss is not installed: apt install libtss2-esys-3.0.2-0 libtss2-tcti-device0"
            )
        case .unreachable:
            self.init(.nothingAvailable, "this machine has no TPM that you may use: add yourself to the group tss")
        case .wrongPIN: self.init(.denied, "the PIN is wrong")
        case .lockedOut: self.init(.tooManyAttempts, "the TPM heard too many wrong PINs: type the passphrase")
        case .otherState:
            self.init(.locked, "the machine was started anew, or 14 days are over: type the passphrase")
        case .foreign: self.init(.locked, "this machine's TPM does not know the PIN: type the passphrase")
        case .failed(let code):
            self.init(.failed, "the TPM fails with \(String(code, radix: 16)): type the passphrase")
        }
    }
}
