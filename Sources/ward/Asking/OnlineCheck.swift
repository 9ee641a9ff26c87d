import ArgumentParser
import Foundation
import WardAgentClient
import WardFolders

/// A check of `ward audit` that uses the network.
enum OnlineCheck: String, CaseIterable, ExpressibleByArgument {
    /// Passwords from data breaches.
    case leaks
    /// Sites that offer passkeys.
    case passkeys

    /// Returns if the person agrees that this check sends what the text says.
    ///
    /// The text appears before anything leaves the machine. The person agrees now, with an option on the command line, or
    /// earlier for the same recipient.
    ///
    /// - Throws: ``Failure`` with `denied` for a no, with `usage` when nobody can be asked.
    func ask(_ text: String, recipient: String, _ consent: OnlineConsent, _ options: AgentOptions) throws {
        Terminal.note(text)
        let agreed = "\(rawValue) \(recipient)"
        if consent.isForgotten { try Self.remember(Self.remembered.subtracting([agreed])) }
        if !consent.isGiven, !Self.remembered.contains(agreed) {
            guard Terminal.isInteractive, !options.noPrompt, !options.json else {
                throw Failure(.usage, "Cannot ask whether to send this: add --yes")
            }
            guard try Question.confirm("Send it?") else { throw Failure(.denied, "Nothing was sent") }
        }
        if consent.isRemembered { try Self.remember(Self.remembered.union([agreed])) }
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

/// What the command line says about sending something.
struct OnlineConsent {
    /// The person agrees.
    var isGiven: Bool
    /// The answer is remembered for the next time.
    var isRemembered: Bool
    /// A remembered answer is forgotten.
    var isForgotten: Bool
}
