internal import Foundation
internal import WardAgentClient
internal import WardVault

/// Changes the parts of an item; ``ItemChange/apply(to:now:)`` changes the whole item.
extension ItemChange {
    static func set(_ password: String, in item: inout Item, now: Int64) {
        if password.isEmpty {
            item.password = nil
        } else if item.password == nil {
            item.password = Password(SecretText(password), changedAt: now)
        } else {
            item.password?.change(to: SecretText(password), at: now)
        }
    }

    func changeSites(_ item: inout Item) throws {
        for address in removeSites {
            guard item.sites.contains(where: { $0.address == address }) else {
                throw AgentError(.itemMissing, "The item has no site \(address)")
            }
            item.sites.removeAll { $0.address == address }
        }
        let match = match.map { Site.Match(rawValue: $0) } ?? .domain
        guard [.domain, .host, .exact, .never].contains(match) else {
            throw AgentError(.invalidValue, "There is no match “\(match)”. Use domain, host, exact or never")
        }
        for address in addSites {
            let site = try Site(checking: address, match: match)
            item.sites.removeAll { $0.address == address }
            item.sites.append(site)
        }
    }

    func changeTags(_ item: inout Item) throws(AgentError) {
        for tag in removeTags {
            guard item.tags.contains(tag) else { throw AgentError(.itemMissing, "The item has no tag \(tag)") }
            item.tags.removeAll { $0 == tag }
        }
        for tag in addTags where !item.tags.contains(tag) && !tag.isEmpty { item.tags.append(tag) }
    }

    func settle(_ item: inout Item, now: Int64) throws(AgentError) {
        for index in Set(takeConflicts ?? []).sorted(by: >) {
            guard item.conflicts.indices.contains(index) else {
                throw AgentError(
                    .itemMissing,
                    "The item has no other value \(index). To see the item's other values: ward show"
                )
            }
            let name = item.conflicts[index].name
            guard item.take(conflict: index, at: now) else {
                throw AgentError(.invalidValue, "A later version of Ward wrote the other value of \(name): update Ward")
            }
        }
        if settleConflicts == true { item.conflicts = [] }
    }

    func changeCodes(_ item: inout Item) throws {
        for index in removeCodes.sorted(by: >) {
            guard item.codes.indices.contains(index) else {
                throw AgentError(.itemMissing, "The item has no verification code \(index)")
            }
            item.codes.remove(at: index)
        }
        for link in addCodes {
            let code = try OneTimePassword(link)
            if !item.codes.contains(code) { item.codes.append(code) }
        }
    }
}

extension ItemChange.FieldChange {
    /// Sets the field with this name or label.
    ///
    /// If there is none, adds it to the fields of the item's kind, such as the number of a card, or to the person's own fields.
    ///
    /// - Throws: `AgentError` with `itemMissing` when a field to remove is not there.
    func apply(to item: inout Item) throws(AgentError) {
        for section in item.sections.indices {
            let known = item.sections[section].fields.firstIndex { $0.label == label || $0.name.rawValue == label }
            guard let known else { continue }
            if let value {
                item.sections[section].fields[known].value = .text(SecretText(value))
                if isConcealed { item.sections[section].fields[known].type = .concealed }
            } else {
                item.sections[section].fields.remove(at: known)
                if item.sections[section].fields.isEmpty { item.sections.remove(at: section) }
            }
            return
        }
        guard let value else {
            throw AgentError(.itemMissing, "The item has no field \(label). To see the item's fields: ward show")
        }
        if let known = item.kind.fields.first(where: { $0.name.rawValue == label }) {
            // Whether the value is hidden is the person's choice.
            let type = isConcealed ? Field.ValueType.concealed : known.type == .concealed ? .text : known.type
            let field = Field(known.name, value, type: type)
            if let section = item.sections.firstIndex(where: { $0.kind == item.kind }) {
                item.sections[section].fields.append(field)
            } else {
                item.sections.insert(FieldSection(kind: item.kind, fields: [field]), at: 0)
            }
            return
        }
        item.fields.append(Field(label: label, text: value, isConcealed: isConcealed))
    }
}

extension Site {
    /// A site in the form in which a person writes it.
    ///
    /// - Throws: `AgentError` with `invalidValue` when it is neither a web address, a host, nor an app.
    init(checking address: String, match: Match = .domain) throws(AgentError) {
        self.init(address: address, match: match)
        guard case .web = target else { return }
        let scheme = address.range(of: "://").map { address[..<$0.lowerBound].lowercased() }
        let isHost = host.map { $0.allSatisfy(Self.mayBeInHost) && $0.contains { $0.isLetter || $0.isNumber } }
        guard isHost == true, scheme == nil || scheme == "https" || scheme == "http" else {
            throw AgentError(
                .invalidValue,
                "“\(address)” is not a site. Use a web address or a host: https://example.com, example.com"
            )
        }
    }

    private static func mayBeInHost(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-._[]:".contains(character)
    }

    /// A site in the form of one line of text.
    init(address: String, match: Match) {
        for (prefix, target) in Self.prefixes where address.hasPrefix(prefix) {
            self.init(target(String(address.dropFirst(prefix.count))), match: match)
            return
        }
        self.init(address, match: match)
    }

    /// The site as one line of text.
    var address: String {
        switch target {
        case .web(let text): text
        case .androidApp(let name): "androidapp://\(name)"
        case .iosApp(let name): "iosapp://\(name)"
        case .other(let type, let text): "\(type):\(text)"
        }
    }

    private static let prefixes: [(String, @Sendable (String) -> Target)] = [
        ("androidapp://", { .androidApp($0) }), ("iosapp://", { .iosApp($0) }),
    ]
}
