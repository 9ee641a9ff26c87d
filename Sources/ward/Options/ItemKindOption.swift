import ArgumentParser
import WardVault

/// The option `--kind`.
enum ItemKindOption {
    /// The kinds, as help and errors list them.
    static let list =
        ItemKind.known.dropLast().map(\.rawValue).joined(separator: ", ") + " or "
        + (ItemKind.known.last?.rawValue ?? "")

    /// - Throws: `ValidationError` for an unknown kind.
    static func check(_ kind: String?) throws {
        guard let kind else { return }
        guard ItemKind.known.contains(ItemKind(rawValue: kind)) else {
            throw ValidationError("There is no kind “\(kind)”. Use \(list).")
        }
    }
}
