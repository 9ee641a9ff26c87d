/// Why a vault did not do what was asked.
///
/// Errors are equal when their codes are. Neither code nor detail ever carries a secret.
public struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way; minor releases may add codes.
    public struct Code: Hashable, Sendable {
        private enum Base: String {
            case wrongPassphrase, wrongSecretKey, secretKeyMissing, wrongRecoveryKey, weakKeyDerivation, emptyPassphrase
            case damaged, rolledBack, unknownVersion, unknownDevice, unprovenVault, forgedVault
            case vaultExists, vaultMissing, inUse, locked, closed
            case itemMissing, conflict, itemTooLarge, notCounterBased, malformedItem
            case diskFull, unavailable, readOnly, unsafeFile, unusablePath
        }

        private let base: Base

        /// The passphrase is not the vault's.
        public static var wrongPassphrase: Self { .init(base: .wrongPassphrase) }
        /// The Secret Key on this device belongs to another vault.
        public static var wrongSecretKey: Self { .init(base: .wrongSecretKey) }
        /// There is no Secret Key on this device, so no passphrase opens the vault; the recovery key does.
        public static var secretKeyMissing: Self { .init(base: .secretKeyMissing) }
        /// The recovery key is well-formed and not the vault's.
        public static var wrongRecoveryKey: Self { .init(base: .wrongRecoveryKey) }
        /// The file asks for a key derivation that is weaker, or dearer, than is ever accepted.
        public static var weakKeyDerivation: Self { .init(base: .weakKeyDerivation) }
        /// A passphrase without a character.
        public static var emptyPassphrase: Self { .init(base: .emptyPassphrase) }

        /// The file was changed by something that is not Ward: a bad disk, another program, a person.
        public static var damaged: Self { .init(base: .damaged) }
        /// The file is older than, or another than, the one this device saw last.
        public static var rolledBack: Self { .init(base: .rolledBack) }
        /// The file was written by a later version.
        public static var unknownVersion: Self { .init(base: .unknownVersion) }
        /// This device never opened the vault, or lost its memory of it, so nobody can say whether the file is the latest.
        public static var unknownDevice: Self { .init(base: .unknownDevice) }

        /// The vault is from before there were proofs: nothing tells the recovery key's holder that it is theirs, so a person
        /// must say so.
        public static var unprovenVault: Self { .init(base: .unprovenVault) }
        /// The file is sealed to the recovery key by somebody who does not have that key.
        public static var forgedVault: Self { .init(base: .forgedVault) }

        /// Where a vault was to be made there is one.
        public static var vaultExists: Self { .init(base: .vaultExists) }
        /// There is no vault at this place.
        public static var vaultMissing: Self { .init(base: .vaultMissing) }
        /// Another process has the vault open.
        public static var inUse: Self { .init(base: .inUse) }
        /// The vault is locked, or was locked meanwhile.
        public static var locked: Self { .init(base: .locked) }
        /// The vault was closed.
        public static var closed: Self { .init(base: .closed) }

        /// There is no such item, or it was removed for good.
        public static var itemMissing: Self { .init(base: .itemMissing) }
        /// The item was changed since it was read.
        public static var conflict: Self { .init(base: .conflict) }
        /// The item is larger than ``Item/maximumSize``.
        public static var itemTooLarge: Self { .init(base: .itemTooLarge) }
        /// The code does not count, so there is no next one to use up.
        public static var notCounterBased: Self { .init(base: .notCounterBased) }
        /// Bytes that are no item in a form this version reads.
        public static var malformedItem: Self { .init(base: .malformedItem) }

        /// The disk, or the quota, is full; what was there is unharmed.
        public static var diskFull: Self { .init(base: .diskFull) }
        /// The file system or the database refused.
        public static var unavailable: Self { .init(base: .unavailable) }

        /// The vault lies where nothing can be written.
        public static var readOnly: Self { .init(base: .readOnly) }
        /// A file of the vault belongs to another user, or others may change it.
        public static var unsafeFile: Self { .init(base: .unsafeFile) }
        /// A copy cannot be put there without harm to something else.
        public static var unusablePath: Self { .init(base: .unusablePath) }

        /// A stable word for logs and JSON.
        public var name: String { base.rawValue }
    }

    /// What stands in the way.
    public let code: Code
    /// What was expected and found.
    public let detail: String

    /// One line for a log.
    public var description: String { "\(code.name): \(detail)" }

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
