import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Values of an item.
///
/// Secrets come from file descriptors, files or questions, never from the command line.
struct ItemOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Site of the item: a web address or a host; repeatable.", valueName: "address"))
    var site: [String] = []
    @Option(help: ArgumentHelp("How the item's sites match pages: domain, host, exact or never.", valueName: "how"))
    var match: String?
    @Option(help: ArgumentHelp("User name.", valueName: "name"))
    var username: String?
    @Flag(help: "Ask for the password on the terminal.")
    var password = false
    @Option(
        name: .customLong("password-fd"),
        help: ArgumentHelp("Read the password from this file descriptor.", valueName: "n")
    )
    var passwordDescriptor: Int32?
    @Flag(help: "Generate a password.")
    var generate = false
    @Option(help: ArgumentHelp("Length of a generated password, 8 to 128.", valueName: "characters"))
    var length = 20
    @Flag(help: "Generate without symbols: letters and digits only.")
    var noSymbols = false
    @Option(
        name: .customLong("otpauth"),
        help: ArgumentHelp(
            "File with an otpauth:// link, or a picture of its QR code; - for standard input; repeatable.",
            valueName: "file"
        )
    )
    var code: [String] = []
    @Option(help: ArgumentHelp("Tag; repeatable.", valueName: "word"))
    var tag: [String] = []
    @Option(help: ArgumentHelp("File with notes; - for standard input.", valueName: "file"))
    var notes: String?
    @Option(help: ArgumentHelp("Field to set, as label=value; repeatable.", valueName: "label=value"))
    var field: [String] = []
    @Option(
        name: .customLong("secret-field"),
        help: ArgumentHelp(
            "Label of a hidden field. ward asks for its value on the terminal; repeatable.",
            valueName: "label"
        )
    )
    var secretField: [String] = []
    @Option(
        name: .customLong("secret-field-fd"),
        help: ArgumentHelp(
            "Hidden field, as label=n: ward reads its value from the file descriptor n; repeatable.",
            valueName: "label=n"
        )
    )
    var secretFieldDescriptor: [String] = []
    @Option(help: ArgumentHelp("File to attach, up to 1 MiB; repeatable.", valueName: "file"))
    var attach: [String] = []
    @Flag(inversion: .prefixedNo, help: "Whether the item is a favorite. Favorites are listed first.")
    var favorite: Bool?

    func validate() throws {
        guard (8...128).contains(length) else { throw ValidationError("--length must be between 8 and 128.") }
        guard [password, passwordDescriptor != nil, generate].count(where: { $0 }) <= 1 else {
            throw ValidationError("Use only one of --password, --password-fd and --generate.")
        }
    }

    /// Whether any option names a change.
    var namesAChange: Bool {
        username != nil || password || passwordDescriptor != nil || generate || notes != nil || favorite != nil
            || ![site, code, tag, field, secretField, secretFieldDescriptor, attach].allSatisfy(\.isEmpty)
    }

    /// The change that these options describe.
    func change() throws -> ItemChange {
        var change = ItemChange()
        change.username = username
        change.addSites = site
        change.match = match
        change.addTags = tag
        change.isFavorite = favorite
        if password { change.password = String(decoding: try Question.secret("Password: "), as: UTF8.self) }
        if let passwordDescriptor {
            change.password = try AgentOptions.readLine(passwordDescriptor, "--password-fd \(passwordDescriptor)")
        }
        if generate { change.password = RandomPassword.make(length: length, symbols: !noSymbols) }
        for source in code { change.addCodes += try CodeSource.links(source) }
        if let notes { change.notes = try TextFile.read(notes) }
        change.addAttachments = try AttachmentFile.read(attach)
        for text in field {
            let parts = try Self.pair(text, "--field")
            change.fields.append(.init(label: parts.0, value: parts.1))
        }
        for label in secretField {
            let value = String(decoding: try Question.secret("\(label): "), as: UTF8.self)
            change.fields.append(.init(label: label, value: value, isConcealed: true))
        }
        for text in secretFieldDescriptor {
            let parts = try Self.pair(text, "--secret-field-fd")
            guard let descriptor = Int32(parts.1) else {
                throw Failure(.usage, "--secret-field-fd must be label=n: a label and the number of a file descriptor")
            }
            let value = try AgentOptions.readLine(descriptor, "--secret-field-fd \(text)")
            change.fields.append(.init(label: parts.0, value: value, isConcealed: true))
        }
        return change
    }

    private static func pair(_ text: String, _ flag: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { throw Failure(.usage, "\(flag) takes label=value") }
        return (parts[0], parts[1])
    }
}
