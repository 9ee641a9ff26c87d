import WardAgentClient

/// The ways to verify the person, as lines of text.
enum VerificationText {
    static func lines(_ status: VerificationStatus.Result) -> [String] {
        var lines = [
            "PIN          \(state(status.hasPIN, yes: "set", no: "none: ward pin set"))",
            "Fingerprint  \(state(status.usesFingerprint, yes: "on", no: "off: ward fingerprint on"))",
        ]
        if let problem = status.fingerprintProblem, status.usesFingerprint == true {
            lines.append("             \(problem)")
        }
        switch status.passphraseNeeded {
        case "not_typed": lines.append("Passphrase   needed once: it was not typed since the agent started")
        case "too_long_ago": lines.append("Passphrase   needed once: it was typed 14 days ago or more")
        case "too_many_tries": lines.append("Passphrase   needed once: there were five wrong tries")
        default: break
        }
        return lines
    }

    /// The ways besides the passphrase that are switched on, for the status of the vault.
    static func summary(_ status: Status.Result) -> [String] {
        var lines: [String] = []
        if let quick = status.quickUnlock, quick.isOn {
            lines.append("Unlocks   by PIN and TPM" + (quick.isReady ? "" : ", after the passphrase was typed once"))
        }
        guard let verification = status.verification else { return lines }
        let ways = [
            verification.usesFingerprint == true ? "fingerprint" : nil, verification.hasPIN == true ? "PIN" : nil,
        ].compactMap(\.self)
        guard !ways.isEmpty else { return lines }
        let isPaused = verification.passphraseNeeded != nil
        lines.append(
            "Verifies  by \(ways.joined(separator: " or "))" + (isPaused ? ", after the passphrase was typed once" : "")
        )
        return lines
    }

    private static func state(_ value: Bool?, yes: String, no: String) -> String {
        value.map { $0 ? yes : no } ?? "not known while the vault is locked: ward unlock"
    }
}
