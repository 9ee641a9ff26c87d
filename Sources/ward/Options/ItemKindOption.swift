import ArgumentParser
import WardVault

enum ItemKindOption {
    /// The kinds, as text for help and errors.
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
