internal import WardAgentClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// A PIN that the person chose: digits, but not one of those that attackers try first.
struct PIN {
    /// The allowed number of digits.
    static let lengths = 4...32

    /// ASCII digits.
    let digits: [UInt8]

    /// Checks the text that the person typed as a new PIN.
    ///
    /// - Throws: `AgentError` with `invalidValue`, and a sentence for the person.
    init(new typed: some Collection<UInt8>) throws(AgentError) {
        let digits = Array(typed)
        guard Self.lengths.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw AgentError(.invalidValue, "a PIN must have 4 to 32 digits: choose another PIN")
        }
        let steps = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
        guard steps.count > 1 || ![-1, 0, 1].contains(steps.first ?? 0) else {
            throw AgentError(
                .invalidValue,
                "a PIN such as 1234, 4321 or 0000 is too easy to guess: choose another PIN"
            )
        }
        self.digits = digits
    }
}

/// The stored form of a PIN, which can check a typed PIN: Argon2id with the same settings as for a passphrase.
struct PINVerifier: Hashable, Sendable {
    private static let saltLength = 16
    private static let tagLength = 32

    private let salt: [UInt8]
    private let tag: [UInt8]

    /// The form in the file: salt and tag.
    var bytes: [UInt8] { salt + tag }

    /// Creates the stored form of a new PIN.
    ///
    /// This takes a tenth of a second.
    ///
    /// - Throws: `VaultError` with `unavailable` when there is no memory or no randomness.
    init(_ pin: PIN, _ effects: Effects) throws(VaultError) {
        let salt = effects.randomBytes(Self.saltLength)
        guard salt.count == Self.saltLength else { throw VaultError(.unavailable, "there is no randomness") }
        self.salt = salt
        tag = try Self.stretch(pin.digits, salt)
    }

    /// Reads the form in the file, or returns `nil` if the length is wrong.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.saltLength + Self.tagLength else { return nil }
        salt = Array(bytes.prefix(Self.saltLength))
        tag = Array(bytes.suffix(Self.tagLength))
    }

    /// Whether this is the right PIN.
    ///
    /// The check takes a tenth of a second.
    ///
    /// - Throws: `VaultError` with `unavailable` when there is no memory.
    func isRight(_ typed: [UInt8]) throws(VaultError) -> Bool {
        // A PIN has at most this length. Longer input is not hashed.
        guard PIN.lengths.contains(typed.count) else { return false }
        return isEqualInConstantTime(try Self.stretch(typed, salt), tag)
    }

    private static func stretch(_ digits: [UInt8], _ salt: [UInt8]) throws(VaultError) -> [UInt8] {
        try Passphrase.stretch(digits, salt: salt, passes: 3, memory: 65_536)
    }
}
