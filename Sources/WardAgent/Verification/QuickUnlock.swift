internal import Crypto
internal import Foundation
internal import Synchronization
internal import WardAgentClient
internal import WardVault
internal import WardWebAuthn

/// Opens the vault with a PIN that this machine's TPM checks.
///
/// Two secrets of the TPM are needed. One opens with the PIN, and wrong ones count towards the TPM's own lock-out. The other one is
/// made anew each time the passphrase is typed, and opens until the machine is started anew, for 14 days at most: the TPM itself
/// compares its count of starts and its clock. So nothing that somebody does to files gives a PIN more tries or more time.
final class QuickUnlock: Sendable {
    /// How long a passphrase counts, in milliseconds.
    static let validity: UInt64 = 14 * 86_400_000
    /// How many wrong PINs there are between two passphrases, as long as the TPM allows so many.
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

    /// Whether the person switched it on, for this vault.
    func isOn(_ vault: Vault) -> Bool { file(of: vault) != nil }

    /// Whether a PIN can open the vault now.
    func isReady(_ vault: Vault) -> Bool { file(of: vault)?.pass != nil && wrong.withLock { $0 < Self.tries } }

    /// Why the TPM cannot be used; `nil` where it can.
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

    /// Switches it on with a PIN, for the open vault whose passphrase was typed a moment ago.
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

    /// Switches it off: what the file had opens nothing more.
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

    /// The passphrase was right: the PIN is to open the vault again.
    func passphraseWasRight() {
        wrong.withLock { $0 = 0 }
        isRenewalDue.withLock { $0 = true }
    }

    /// Makes the PIN good for another 14 days, where the passphrase was typed since the last time.
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

    /// Why a PIN did not open the vault.
    struct Failure: Hashable, Sendable {
        /// What the person reads.
        var sentence: PromptSentence
        /// Whether another PIN may be tried.
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
        // Counted before the TPM is asked.
        wrong.withLock { $0 += 1 }
        do throws(TPMError) {
            let (sealed, key) = try await onThread { [tpm] () throws(TPMError) in
                let tpm = try TPM(tpm)
                // First what no PIN opens: a PIN for nothing is not asked of the TPM.
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

    /// The PIN as the TPM gets it: 32 bytes, other ones for each vault.
    private static func authorization(_ digits: [UInt8], _ vault: Vault) -> [UInt8] {
        var bytes = Array(SHA256.hash(data: Array("ward/v1/quick-unlock".utf8) + vault.identity + digits))
        // A TPM takes zeros off the end.
        bytes[bytes.count - 1] |= 1
        return bytes
    }
}

extension PromptSentence {
    /// Why the TPM did not take the PIN.
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
    /// What is wrong with the TPM, and what to do next.
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
