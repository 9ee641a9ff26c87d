import Foundation
import WardAccounts
package import WardAttestation
package import WardText
import WardWebAuthn

extension SignInPolicy {
    /// The largest file that is read, in bytes.
    private static let maximumSize = 1 << 20

    /// Reads the rules from a file with JSON.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``ServerConfigurationError`` that says which rule is wrong, and how.
    package init(file path: String) throws(ServerConfigurationError) {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ServerConfigurationError("--policy: \(path) cannot be read")
        }
        guard content.count <= Self.maximumSize, let value = try? JSONValue([UInt8](content)) else {
            throw ServerConfigurationError("--policy: \(path) is not JSON of at most 1 MiB")
        }
        try self.init(json: value)
    }

    /// Reads the rules from JSON: `{"rules": […]}`.
    ///
    /// - Parameter value: The JSON.
    /// - Throws: ``ServerConfigurationError``.
    package init(json value: JSONValue) throws(ServerConfigurationError) {
        guard let members = value.objectValue, members.map(\.name) == ["rules"], let rules = value["rules"]?.arrayValue
        else { throw ServerConfigurationError("--policy: the file must be {\"rules\": […]}") }
        var read: [PolicyRule] = []
        for (index, rule) in rules.enumerated() {
            do throws(PolicyRuleError) {
                read.append(try PolicyRule(json: rule))
            } catch {
                throw ServerConfigurationError("--policy: rule \(index + 1): \(error.description)")
            }
        }
        self.init(read)
    }
}

extension SignInPolicy {
    /// The path of the metadata of authenticators, if a rule needs it.
    ///
    /// - Parameter path: The path, if the settings have one.
    /// - Returns: The path; `nil` if no rule asks for attestation.
    /// - Throws: ``ServerConfigurationError`` if a rule asks for attestation and there is no path.
    package func neededMetadata(_ path: String?) throws(ServerConfigurationError) -> String? {
        guard let index = rules.firstIndex(where: { $0.passkeys?.asksForAttestation == true }) else { return nil }
        guard let path else {
            throw ServerConfigurationError(
                "--policy: rule \(index + 1) asks for attestation: download \(MetadataFile.source) and name the file with "
                    + "--metadata"
            )
        }
        return path
    }
}

extension ServerConfiguration {
    /// What is wrong with the file of rules, or `nil` if nothing is.
    package var policyProblem: String? {
        guard let policy else { return nil }
        do {
            _ = try SignInPolicy(file: policy).neededMetadata(metadata)
            return nil
        } catch {
            return error.description
        }
    }

    /// The warning about metadata of authenticators that rules need and that is out of date.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - anchors: The roots that the signer of the BLOB must lead to.
    /// - Returns: The warning; `nil` if there is none, or if ``metadataProblem(at:)`` or ``policyProblem`` says what is wrong.
    package func metadataWarning(at now: Int64, anchors: TrustAnchors = .fidoMetadata) -> String? {
        guard let policy, let path = try? SignInPolicy(file: policy).neededMetadata(metadata),
            let blob = try? MetadataFile(path, anchors: anchors).read(at: now), blob.isOutdated(at: now)
        else { return nil }
        return MetadataKeeper.warning
    }
}

/// Why a rule is wrong.
private struct PolicyRuleError: Error {
    let description: String

    init(_ description: String) { self.description = description }
}

extension PolicyRule {
    fileprivate init(json value: JSONValue) throws(PolicyRuleError) {
        self.init()
        guard let members = value.objectValue else { throw PolicyRuleError("a rule is a JSON object") }
        for member in members { try read(member.name, member.value) }
        for name in ["warnDays", "graceDays"] where value[name] != nil && from == nil {
            throw PolicyRuleError("\"\(name)\" needs \"from\", the day on which the rule begins")
        }
        guard needsTwoFactors || passkeys != nil || sessionAge != nil else {
            throw PolicyRuleError("it asks for nothing: add \"require\", \"passkeys\" or \"sessionHours\"")
        }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(PolicyRuleError) {
        switch name {
        case "groups": groups = Set(try Self.list(name, value) { try? GroupName($0) })
        case "from": from = try Self.day(value)
        case "warnDays": warning = try Self.number(name, value, 0...3_650) * 86_400
        case "graceDays": grace = try Self.number(name, value, 0...3_650) * 86_400
        case "sessionHours": sessionAge = try Self.number(name, value, 1...2_160) * 3_600
        case "require":
            switch value.stringValue {
            case "passkey": passkeys = passkeys ?? PasskeyEvidence()
            case "two_factors": needsTwoFactors = true
            default: throw PolicyRuleError("\"require\" must be \"passkey\" or \"two_factors\"")
            }
        case "passkeys":
            guard value.stringValue == "device_bound" else {
                throw PolicyRuleError("\"passkeys\" must be \"device_bound\"; leave it out for any passkey")
            }
            passkeys = passkeys ?? PasskeyEvidence()
            passkeys?.isDeviceBound = true
        case "attestation":
            guard value.stringValue == "verified" else {
                throw PolicyRuleError("\"attestation\" must be \"verified\"; leave it out if none is needed")
            }
            passkeys = passkeys ?? PasskeyEvidence()
            passkeys?.needsVerifiedModel = true
        case "certification":
            guard let level = value.stringValue.flatMap({ Self.certifications[$0] }) else {
                throw PolicyRuleError(
                    "\"certification\" must be FIDO_CERTIFIED, L1, L1plus, L2, L2plus, L3 or L3plus"
                )
            }
            passkeys = passkeys ?? PasskeyEvidence()
            passkeys?.certification = level
        case "authenticators":
            let models = try Self.list(name, value) { AAGUID($0) }
            passkeys = passkeys ?? PasskeyEvidence()
            passkeys?.authenticators = Set(models)
        default:
            throw PolicyRuleError(
                "\"\(name.prefix(32))\" is not known; a rule has groups, from, warnDays, graceDays, require, passkeys, "
                    + "authenticators, attestation, certification and sessionHours"
            )
        }
    }

    /// The levels by the names of the status reports, without `FIDO_CERTIFIED_`.
    private static let certifications: [String: CertificationLevel] = [
        "FIDO_CERTIFIED": .certified, "L1": .level1, "L1plus": .level1Plus, "L2": .level2, "L2plus": .level2Plus,
        "L3": .level3, "L3plus": .level3Plus,
    ]

    private static func list<Element>(
        _ name: String,
        _ value: JSONValue,
        _ read: (String) -> Element?
    ) throws(PolicyRuleError) -> [Element] {
        let texts = (value.arrayValue ?? []).map(\.stringValue)
        let elements = texts.compactMap { $0.flatMap(read) }
        guard !elements.isEmpty, elements.count == value.arrayValue?.count else {
            let what = name == "groups" ? "names of groups" : "AAGUIDs such as 00000000-0000-0000-0000-000000000000"
            throw PolicyRuleError("\"\(name)\" must be a list of \(what), with at least one")
        }
        return elements
    }

    private static func number(
        _ name: String,
        _ value: JSONValue,
        _ range: ClosedRange<Int64>
    ) throws(PolicyRuleError) -> Int64 {
        guard let number = value.integerValue, range.contains(number) else {
            throw PolicyRuleError("\"\(name)\" must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The beginning of a day in UTC, in seconds since 1970.
    private static func day(_ value: JSONValue) throws(PolicyRuleError) -> Int64 {
        guard let text = value.stringValue, text.utf8.count == 10,
            let date = try? Date.ISO8601FormatStyle().year().month().day().parse(text)
        else { throw PolicyRuleError("\"from\" must be a day such as \"2027-01-31\"") }
        let seconds = Int64(date.timeIntervalSince1970)
        // The parser takes February 30 for March 2.
        guard JSONTime.text(seconds).hasPrefix(text) else {
            throw PolicyRuleError("\"from\" must be a day such as \"2027-01-31\"")
        }
        return seconds
    }
}
