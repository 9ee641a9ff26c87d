import Foundation
import WardAgentClient
import WardFolders

/// What the command line says about sending something.
struct OnlineConsent {
    /// The person agrees.
    var isGiven: Bool
    /// The answer is remembered for the next time.
    var isRemembered: Bool
    /// A remembered answer is forgotten.
    var isForgotten: Bool

    /// Returns if the person agrees to send what the text says.
    ///
    /// The text appears before anything leaves the machine. The person agrees now, with an option on the command line, or
    /// earlier for the same purpose and recipient.
    ///
    /// - Parameters:
    ///   - text: What leaves the machine.
    ///   - purpose: The purpose and the recipient, as they are remembered.
    ///   - options: Whether anybody can be asked.
    /// - Throws: ``Failure`` with `denied` for a no, with `usage` when nobody can be asked.
    func ask(_ text: String, as purpose: String, _ options: AgentOptions) throws {
        Terminal.note(text)
        if isForgotten { try Self.remember(Self.remembered.subtracting([purpose])) }
        if !isGiven, !Self.remembered.contains(purpose) {
            guard Terminal.isInteractive, !options.noPrompt, !options.json else {
                throw Failure(.usage, "Cannot ask whether to send this: add --yes")
            }
            guard try Question.confirm("Send it?") else { throw Failure(.denied, "Nothing was sent") }
        }
        if isRemembered { try Self.remember(Self.remembered.union([purpose])) }
    }

    // MARK: What is remembered

    private struct Remembered: Codable { let agreed: [String] }

    private static var path: String { BaseFolders.ofThisProcess.config + "/ward/online-checks.json" }

    private static var remembered: Set<String> {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 65_536,
            let value = try? JSONDecoder().decode(Remembered.self, from: data)
        else { return [] }
        return Set(value.agreed)
    }

    private static func remember(_ agreed: Set<String>) throws {
        guard agreed != remembered else { return }
        do {
            try OwnersFile.write(Remembered(agreed: agreed.sorted()), to: path)
        } catch { throw Failure(.unavailable, "\(path) cannot be written: check its permissions") }
    }
}
