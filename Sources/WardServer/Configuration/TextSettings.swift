/// How the service sends text messages to telephones: it asks another program to, with signed webhooks.
public struct TextSettings: Hashable, Sendable {
    /// The address of the program: `https://`, or `http://` on this machine.
    public var address: String
    /// The file with the secrets that the requests are signed with, one a line.
    public var secretsFile: String
    /// What numbers must begin with, such as `+49`; with none, all numbers get messages.
    public var prefixes: [String]
    /// The largest number of messages a day: 1 to 1,000,000.
    public var perDay: Int

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - address: The address of the program that sends the messages.
    ///   - secretsFile: The file with the secrets.
    ///   - prefixes: What numbers must begin with.
    ///   - perDay: The largest number of messages a day.
    public init(address: String, secretsFile: String, prefixes: [String] = [], perDay: Int = 1_000) {
        self.address = address
        self.secretsFile = secretsFile
        self.prefixes = prefixes
        self.perDay = perDay
    }
}
