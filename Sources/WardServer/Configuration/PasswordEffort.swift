/// How much work it is to check one password: Argon2id (RFC 9106) with one lane, version 1.3.
///
/// Each of the service's password threads takes this much memory while it checks.
public struct PasswordEffort: Hashable, Sendable {
    /// How much memory, in KiB.
    public var memory: Int
    /// How often the memory is passed over.
    public var passes: Int

    /// 2 passes over 19 MiB, the least that OWASP's
    /// [Password Storage Cheat Sheet](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html)
    /// advises; nothing below it is accepted.
    public static let standard = PasswordEffort(memory: 19_456, passes: 2)

    /// Less is too weak; more, and a few people who sign in at once take the machine's memory.
    package static let acceptedMemory = 19_456...1_048_576
    /// Less is too weak; more takes longer than anybody waits.
    package static let acceptedPasses = 2...64

    /// Puts both together; nothing is checked before the service is set up.
    ///
    /// - Parameters:
    ///   - memory: How much memory, in KiB: 19456 (19 MiB) to 1048576 (1 GiB).
    ///   - passes: How often the memory is passed over: 2 to 64.
    public init(memory: Int, passes: Int) {
        self.memory = memory
        self.passes = passes
    }

    func check() throws(ServerConfigurationError) {
        guard Self.acceptedMemory.contains(memory) else {
            throw ServerConfigurationError("checking a password takes 19MiB to 1GiB of memory, not \(memory)KiB")
        }
        guard Self.acceptedPasses.contains(passes) else {
            throw ServerConfigurationError("checking a password takes 2 to 64 passes, not \(passes)")
        }
    }

    /// Reads a whole number with a unit: `19456KiB`, `64MiB`, `1GiB`.
    ///
    /// - Parameter text: What somebody wrote.
    /// - Returns: The amount in KiB.
    /// - Throws: ``ServerConfigurationError`` saying what is expected.
    public static func memory(settingText text: String) throws(ServerConfigurationError) -> Int {
        for (unit, size) in [("KiB", 1), ("MiB", 1024), ("GiB", 1024 * 1024)] where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            guard let count = UInt32(digits), String(count) == digits else { break }
            return Int(count) * size
        }
        throw ServerConfigurationError(
            "an amount of memory is a number with KiB, MiB or GiB, such as 64MiB, not \"\(text)\""
        )
    }

    /// Reads a number of passes.
    ///
    /// - Parameter text: What somebody wrote.
    /// - Returns: The number.
    /// - Throws: ``ServerConfigurationError`` saying what is expected.
    public static func passes(settingText text: String) throws(ServerConfigurationError) -> Int {
        guard let count = UInt16(text), String(count) == text else {
            throw ServerConfigurationError("the passes are a whole number, such as 3, not \"\(text)\"")
        }
        return Int(count)
    }
}
