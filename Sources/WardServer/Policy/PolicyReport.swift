package import WardAccounts
import WardAttestation
package import WardText

/// How the accounts of a service stand to its rules.
package struct PolicyReport: Sendable {
    /// One rule, and the accounts that it is about.
    package struct Line: Sendable {
        /// The rule.
        package let rule: PolicyRule
        /// The number of accounts that have what the rule asks for.
        package fileprivate(set) var ready = 0
        /// The names of the accounts that do not.
        package fileprivate(set) var notReady: [String] = []
    }

    /// One line for each rule, in the order of the file.
    package private(set) var lines: [Line]
    private let known: KnownModels

    /// - Parameters:
    ///   - policy: The rules.
    ///   - known: What is known of models now.
    package init(_ policy: SignInPolicy, _ known: KnownModels = .none) {
        lines = policy.rules.map { Line(rule: $0) }
        self.known = known
    }

    /// Reads the rules, and the metadata of authenticators if a rule needs it.
    ///
    /// - Parameters:
    ///   - file: The path of the file with the rules.
    ///   - metadata: The path of the BLOB of the FIDO Metadata Service.
    ///   - now: Seconds since 1970.
    /// - Throws: ``ServerConfigurationError`` that says what is wrong with a file, or that a rule needs the BLOB.
    package init(file: String, metadata: String?, at now: Int64) throws(ServerConfigurationError) {
        let policy = try SignInPolicy(file: file)
        guard let path = try policy.neededMetadata(metadata) else {
            self.init(policy)
            return
        }
        self.init(policy, KnownModels(try MetadataFile(path).read(at: now).entries, at: now))
    }

    /// Counts an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - tx: A transaction of its store.
    /// - Throws: The store's errors.
    package mutating func count(_ account: Account, in tx: some AccountTransaction) async throws {
        guard account.disabledAt == nil, lines.contains(where: { $0.rule.matches(account.groups) }) else { return }
        let factors = try await OtherFactors(of: account.id, in: tx)
        let means = AccountMeans(
            try await tx.passkeys(of: account.id),
            factors,
            known,
            hasFirstStep: try await tx.password(of: account.id) != nil || !factors.links.isEmpty
        )
        for index in lines.indices where lines[index].rule.matches(account.groups) {
            if means.meet(lines[index].rule) {
                lines[index].ready += 1
            } else {
                lines[index].notReady.append(account.username.text)
            }
        }
    }
}

extension CertificationLevel {
    fileprivate var demand: String { self == .certified ? "by FIDO" : "\(self) or higher" }
}

extension PolicyReport.Line {
    /// What the rule asks for, in a few words.
    package var demand: String {
        var parts: [String] = []
        if let passkeys = rule.passkeys {
            parts.append(passkeys.isDeviceBound ? "a passkey that stays on one device" : "a passkey")
            if let models = passkeys.authenticators { parts.append("of \(models.count) authenticator models") }
            if passkeys.asksForAttestation { parts.append("with attestation") }
            if let level = passkeys.certification { parts.append("certified \(level.demand)") }
        } else if rule.needsTwoFactors {
            parts.append("two factors")
        }
        if let age = rule.sessionAge { parts.append("sessions of \(age / 3_600) hours") }
        return parts.joined(separator: ", ")
    }

    /// The accounts that the rule is about, in a few words.
    package var subjects: String { rule.groups.map { $0.sorted().map(\.text).joined(separator: ", ") } ?? "everybody" }

    private var graceEnd: Int64? {
        guard rule.passkeys != nil || rule.needsTwoFactors else { return nil }
        return rule.from.map { $0 + rule.grace }
    }

    package var json: JSONValue {
        [
            "groups": rule.groups.map { .array($0.sorted().map { .string($0.text) }) } ?? .null,
            "from": rule.from.map { .string(JSONTime.text($0)) } ?? .null,
            "graceEnds": graceEnd.map { .string(JSONTime.text($0)) } ?? .null,
            "asksFor": .string(demand), "ready": .integer(Int64(ready)),
            "notReady": .array(notReady.map { .string($0) }),
        ]
    }
}
