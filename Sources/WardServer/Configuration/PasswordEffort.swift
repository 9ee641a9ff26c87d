/// The cost of one password check: Argon2id (RFC 9106) with one lane, version 1.3.
///
/// Each password thread of the service uses this much memory during a check.
public struct PasswordEffort: Hashable, Sendable {
    /// Memory, in KiB.
    public var memory: Int
    /// Number of passes over the memory.
    public var passes: Int

    /// 19 MiB and 2 passes, the minimum of OWASP's [Password Storage Cheat
    /// Sheet](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html); smaller values are
    /// refused.
    public static let standard = PasswordEffort(memory: 19_456, passes: 2)

    /// Less memory would be too weak.
    ///
    /// With more, a few simultaneous sign-ins would use up the machine's memory.
    package static let acceptedMemory = 19_456...1_048_576
    /// Fewer passes would be too weak.
    ///
    /// More passes would take longer than people wait.
    package static let acceptedPasses = 2...64

    /// Stores both values.
    ///
    /// The service checks them when it starts.
    ///
    /// - Parameters:
    ///   - memory: Memory in KiB: 19456 (19 MiB) to 1048576 (1 GiB).
    ///   - passes: Number of passes: 2 to 64.
    public init(memory: Int, passes: Int) {
        self.memory = memory
        self.passes = passes
    }

    func check() throws(ServerConfigurationError) {
        guard Self.acceptedMemory.contains(memory) else {
            throw ServerConfigurationError("the memory for checking a password must be 19MiB to 1GiB, not \(memory)KiB")
        }
        guard Self.acceptedPasses.contains(passes) else {
            throw ServerConfigurationError(
                "the number of Argon2id passes for a password must be 2 to 64, not \(passes)"
            )
        }
    }

    /// Reads a whole number with a unit: `19456KiB`, `64MiB`, `1GiB`.
    ///
    /// - Parameter text: The setting's text.
    /// - Returns: The amount in KiB.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    public static func memory(settingText text: String) throws(ServerConfigurationError) -> Int {
        for (unit, size) in [("KiB", 1), ("MiB", 1024), ("GiB", 1024 * 1024)] where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            guard let count = UInt32(digits), String(count) == digits else { break }
            return Int(count) * size
        }
        throw ServerConfigurationError(
            "an amount of memory must be a number with KiB, MiB or GiB, such as 64MiB, not \"\(text)\""
        )
    }

    /// Reads the number of passes.
    ///
    /// - Parameter text: The setting's text.
    /// - Returns: The number.
    /// - Throws: ``ServerConfigurationError`` that says which form is expected.
    public static func passes(settingText text: String) throws(ServerConfigurationError) -> Int {
        guard let count = UInt16(text), String(count) == text else {
            throw ServerConfigurationError("the number of passes must be a whole number, such as 3, not \"\(text)\"")
        }
        return Int(count)
    }
}
