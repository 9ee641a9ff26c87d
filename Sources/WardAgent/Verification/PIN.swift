internal import WardAgentClient
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// A PIN that a person chose: digits, and none of those that anybody tries first.
struct PIN {
    /// How many digits there are.
    static let lengths = 4...32

    /// ASCII digits.
    let digits: [UInt8]

    /// Reads what was typed for a new PIN.
    ///
    /// - Throws: `AgentError` with `invalidValue`, and a sentence for the person.
    init(new typed: some Collection<UInt8>) throws(AgentError) {
        let digits = Array(typed)
        guard Self.lengths.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw AgentError(.invalidValue, "a PIN has 4 to 32 digits: choose another one")
        }
        let steps = Set(zip(digits, digits.dropFirst()).map { Int($1) - Int($0) })
        guard steps.count > 1 || ![-1, 0, 1].contains(steps.first ?? 0) else {
            throw AgentError(
                .invalidValue,
                "everybody tries a PIN such as 1234, 4321 or 0000 first: choose another one"
            )
        }
        self.digits = digits
    }
}

/// What tells the right PIN from others: Argon2id over the PIN, with the effort of a passphrase.
struct PINVerifier: Hashable, Sendable {
    private static let saltLength = 16
    private static let tagLength = 32

    private let salt: [UInt8]
    private let tag: [UInt8]

    /// The form that is kept: salt and tag.
    var bytes: [UInt8] { salt + tag }

    /// Takes a new PIN: a tenth of a second.
    ///
    /// - Throws: `VaultError` with `unavailable` when there is no memory or no randomness.
    init(_ pin: PIN, _ effects: Effects) throws(VaultError) {
        let salt = effects.randomBytes(Self.saltLength)
        guard salt.count == Self.saltLength else { throw VaultError(.unavailable, "there is no randomness") }
        self.salt = salt
        tag = try Self.stretch(pin.digits, salt)
    }

    /// Reads the form that is kept, or returns `nil` if the length is wrong.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.saltLength + Self.tagLength else { return nil }
        salt = Array(bytes.prefix(Self.saltLength))
        tag = Array(bytes.suffix(Self.tagLength))
    }

    /// Whether this is the PIN: a tenth of a second.
    ///
    /// - Throws: `VaultError` with `unavailable` when there is no memory.
    func isRight(_ typed: [UInt8]) throws(VaultError) -> Bool {
        // No PIN is longer, and nobody pays for more.
        guard PIN.lengths.contains(typed.count) else { return false }
        return isEqualInConstantTime(try Self.stretch(typed, salt), tag)
    }

    private static func stretch(_ digits: [UInt8], _ salt: [UInt8]) throws(VaultError) -> [UInt8] {
        try Passphrase.stretch(digits, salt: salt, passes: 3, memory: 65_536)
    }
}
