import ArgumentParser
import WardVault

enum ItemKindOption {
    /// The kinds, as text for help and errors.
    static let list =
        ItemKind.known.dropLast().map(\.rawValue).joined(separator: ", ") + " or "
        + (ItemKind.known.last?.rawValue ?? "")

    /// The fields of each kind, a line each, as text for help.
    static let fields = ItemKind.known.filter { !$0.fields.isEmpty }
        .map { kind in "\(kind): " + kind.fields.map(\.name.rawValue).joined(separator: ", ") }
        .joined(separator: "\n\n")

    /// - Throws: `ValidationError` for an unknown kind.
    static func check(_ kind: String?) throws {
        guard let kind else { return }
        guard ItemKind.known.contains(ItemKind(rawValue: kind)) else {
            throw ValidationError("There is no kind “\(kind)”. Use \(list).")
        }
    }
}
