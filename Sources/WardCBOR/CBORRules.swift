/// The limits of a ``CBORReader``, and its strictness where standards differ.
///
/// These rules are fixed: only shortest forms, only definite lengths, no tags, no simple values except false, true and
/// null, valid UTF-8, no duplicate keys.
public struct CBORRules: Hashable, Sendable {
    /// The maximum nesting of arrays and maps, 0 to 64; other values count as the nearest of these.
    public var maximumDepth: Int {
        didSet { maximumDepth = Self.boundedDepth(maximumDepth) }
    }
    /// The maximum number of items of one reader; containers, keys and values each count.
    public var maximumItems: Int
    /// The maximum length of a byte or text string, in bytes.
    public var maximumLength: Int
    /// Whether floats are accepted, in their shortest form.
    public var allowsFloats: Bool
    /// Whether keys must be in CTAP2's order.
    ///
    /// Duplicate keys are always refused.
    public var requiresSortedKeys: Bool

    /// Creates rules with these limits.
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

    /// CBOR inside WebAuthn messages: the same form with eight levels, because attestation statements and extension
    /// outputs can nest.
    public static let webAuthn = Self(maximumDepth: 8)

    /// The reader recurses once per level, so the depth must have a fixed maximum.
    private static func boundedDepth(_ depth: Int) -> Int { min(max(depth, 0), 64) }
}
