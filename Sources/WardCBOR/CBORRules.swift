/// How much a ``CBORReader`` takes, and how strict it is where standards differ.
///
/// What no rule changes: shortest forms only, definite lengths only, no tags, no simple values but false, true and null,
/// UTF-8 checked, no key twice.
public struct CBORRules: Hashable, Sendable {
    /// How many arrays and maps may lie inside each other; values outside 0 to 64 count as the nearest of these.
    public var maximumDepth: Int {
        didSet { maximumDepth = Self.boundedDepth(maximumDepth) }
    }
    /// How many items one reader reads in all: containers, keys and values each count.
    public var maximumItems: Int
    /// The longest byte or text string, in bytes.
    public var maximumLength: Int
    /// Whether floats are read; if so, in their shortest form only.
    public var allowsFloats: Bool
    /// Whether keys must come in CTAP2's order; where they need not, a key twice is still refused.
    public var requiresSortedKeys: Bool

    /// Sets each limit by hand.
    public init(
        maximumDepth: Int,
        maximumItems: Int = 1024,
        maximumLength: Int = 65_536,
        allowsFloats: Bool = false,
        requiresSortedKeys: Bool = true
    ) {
        self.maximumDepth = Self.boundedDepth(maximumDepth)
        self.maximumItems = maximumItems
        self.maximumLength = maximumLength
        self.allowsFloats = allowsFloats
        self.requiresSortedKeys = requiresSortedKeys
    }

    /// CTAP2 canonical CBOR: four levels, keys sorted.
    ///
    /// CTAP 2.2, section 8, Message Encoding.
    public static let ctap2 = Self(maximumDepth: 4)

    /// What an authenticator's answer looks like inside WebAuthn: the same form, eight levels because attestation
    /// statements and extension outputs may nest.
    public static let webAuthn = Self(maximumDepth: 8)

    /// The reader recurses once per level, so a level too many must be impossible and not only unlikely.
    private static func boundedDepth(_ depth: Int) -> Int { min(max(depth, 0), 64) }
}
