extension Item {
    /// The beginning of the names of ``extensions`` that only Ward itself uses.
    package static let ownExtensionPrefix = "ward."

    /// Whether the item has data that Ward keeps without understanding it.
    package var hasUnknownData: Bool {
        extensions.keys.contains { !$0.hasPrefix(Self.ownExtensionPrefix) } || !unknownCodes.isEmpty
            || !unknown.pairs.isEmpty || passkeys.contains { !$0.unknown.pairs.isEmpty }
    }
}
