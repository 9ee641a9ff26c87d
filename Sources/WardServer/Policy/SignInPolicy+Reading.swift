import Foundation
import WardAccounts
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

extension ServerConfiguration {
    /// What is wrong with the file of rules, or `nil` if nothing is.
    package var policyProblem: String? {
        guard let policy else { return nil }
        do {
            _ = try SignInPolicy(file: policy)
            return nil
        } catch {
            return error.description
        }
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
        case "authenticators":
            let models = try Self.list(name, value) { AAGUID($0) }
            passkeys = passkeys ?? PasskeyEvidence()
            passkeys?.authenticators = Set(models)
        default:
            throw PolicyRuleError(
                "\"\(name.prefix(32))\" is not known; a rule has groups, from, warnDays, graceDays, require, passkeys, "
                    + "authenticators and sessionHours"
            )
        }
    }

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
