internal import Foundation
package import WardFolders
internal import WardText
internal import WardWebAuthn

/// Public data of sites that helps with passwords.
///
/// The data is optional. It comes from the files of ``SiteDataFile``, which the person downloads with `ward update-data`.
package struct SiteData: Sendable {
    /// The data without any file.
    package static let none = SiteData()

    /// The domains that share their accounts.
    package private(set) var shared = SharedCredentials.none
    private var rules: [String: PasswordRules] = [:]
    private var changeAddresses: [String: String] = [:]
    private var appended: Set<String> = []
    /// The page about passkeys of each site that supports them; empty if it has none.
    private var passkeys: [String: String] = [:]
    private var codes: Set<String> = []

    private init() {}

    /// Reads the files in a folder.
    ///
    /// A file that is absent or cannot be read counts as empty. Without a list of sites with passkeys, a short list of well-known
    /// sites counts.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - files: The files to read.
    package init(folder: String, files: [SiteDataFile] = SiteDataFile.allCases) {
        for file in files {
            guard let bytes = Self.contents(folder + "/" + file.rawValue) else { continue }
            try? read(bytes, as: file)
        }
        if passkeys.isEmpty, files.contains(.passkeySites) {
            passkeys = Dictionary(uniqueKeysWithValues: KnownPasskeySites.domains.map { ($0, "") })
        }
    }

    /// The folder with the files.
    ///
    /// All vaults of a person share it.
    package static func folder(in folders: BaseFolders = .ofThisProcess) -> String { folders.data + "/ward/site-data" }

    /// Checks a file.
    ///
    /// - Returns: The number of entries.
    /// - Throws: ``SiteDataFault`` if a part of the file has the wrong form.
    package static func check(_ bytes: [UInt8], as file: SiteDataFile) throws(SiteDataFault) -> Int {
        var data = SiteData()
        try data.read(bytes, as: file)
        return switch file {
        case .passwordRules: data.rules.count
        case .sharedCredentials: data.shared.groups.count
        case .changePasswordAddresses: data.changeAddresses.count
        case .appendedCodes: data.appended.count
        case .passkeySites: data.passkeys.count
        case .codeSites: data.codes.count
        }
    }

    /// The number of entries of a file in a folder; `nil` if it is absent or cannot be used.
    package static func entries(of file: SiteDataFile, in folder: String) -> Int? {
        contents(folder + "/" + file.rawValue).flatMap { try? check($0, as: file) }
    }

    /// The rules for passwords of a site; `nil` if there are none.
    package func passwordRules(of host: String) -> PasswordRules? { Self.value(host) { rules[$0] } }

    /// The page of a site where people change their password; `nil` if the list does not have it.
    package func changePasswordAddress(of host: String) -> String? { Self.value(host) { changeAddresses[$0] } }

    /// Whether a site is known to offer verification codes.
    package func offersCodes(_ host: String) -> Bool {
        Self.parents(of: host).contains { appended.contains($0) || codes.contains($0) }
    }

    /// Whether a site is known to support passkeys.
    package func offersPasskeys(_ host: String) -> Bool { Self.value(host) { passkeys[$0] } != nil }

    /// The page with a site's help about its passkeys; `nil` if the list does not have one.
    package func passkeyHelpAddress(of host: String) -> String? {
        Self.value(host) { passkeys[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: SiteDataFile.maximumSize + 1),
            data.count <= SiteDataFile.maximumSize
        else { return nil }
        return Array(data)
    }

    private mutating func read(_ bytes: [UInt8], as file: SiteDataFile) throws(SiteDataFault) {
        guard bytes.count <= SiteDataFile.maximumSize else {
            throw SiteDataFault("the file has more than \(SiteDataFile.maximumSize) bytes")
        }
        let json: JSONValue
        do { json = try JSONValue(bytes, limits: .document) } catch {
            throw SiteDataFault("the file must be JSON: \(error)")
        }
        switch file {
        case .passwordRules:
            rules = try Self.table(json) { (value) throws(SiteDataFault) in
                guard let text = value["password-rules"]?.stringValue else {
                    throw SiteDataFault("each site must have the member “password-rules”")
                }
                do throws(PasswordRulesFault) { return try PasswordRules(text) } catch {
                    throw SiteDataFault("rules cannot be read: \(error.description)")
                }
            }
        case .sharedCredentials: shared = try SharedCredentials(json)
        case .changePasswordAddresses:
            changeAddresses = try Self.table(json) { (value) throws(SiteDataFault) in
                guard let text = value.stringValue, Self.isWebAddress(text) else {
                    throw SiteDataFault("each site must have a web address")
                }
                return text
            }
        case .appendedCodes:
            guard let domains = json.arrayValue else { throw SiteDataFault("the file must be a list of domains") }
            var found: Set<String> = []
            for domain in domains { found.insert(try Self.domain(domain.stringValue)) }
            appended = found
        case .passkeySites: passkeys = try Self.passkeySites(json)
        case .codeSites: codes = try Self.codeSites(json)
        }
    }

    /// Reads an object with a member for each domain.
    private static func passkeySites(_ json: JSONValue) throws(SiteDataFault) -> [String: String] {
        guard let members = json.objectValue else {
            throw SiteDataFault("the file must be an object with a member for each domain")
        }
        var sites: [String: String] = [:]
        for member in members where member.value["passwordless"] != nil || member.value["mfa"] != nil {
            let page = member.value["documentation"]?.stringValue.flatMap { isWebAddress($0) ? $0 : nil } ?? ""
            for domain in try domains(member.name, member.value) { sites[domain] = page }
        }
        return sites
    }

    /// Reads a list of pairs: a name, and an object with the domain.
    private static func codeSites(_ json: JSONValue) throws(SiteDataFault) -> Set<String> {
        guard let pairs = json.arrayValue else { throw SiteDataFault("the file must be a list of sites") }
        var sites: Set<String> = []
        for pair in pairs {
            guard let parts = pair.arrayValue, parts.count == 2 else {
                throw SiteDataFault("a site must have a name and an object")
            }
            guard parts[1]["tfa"]?.arrayValue?.contains(.string("totp")) == true else { continue }
            sites.formUnion(try domains(parts[1]["domain"]?.stringValue, parts[1]))
        }
        return sites
    }

    /// A site's main domain and its other ones.
    private static func domains(_ main: String?, _ site: JSONValue) throws(SiteDataFault) -> [String] {
        var domains = [try domain(main)]
        for other in site["additional-domains"]?.arrayValue ?? [] { domains.append(try domain(other.stringValue)) }
        return domains
    }

    private static func table<Value>(
        _ json: JSONValue,
        _ value: (JSONValue) throws(SiteDataFault) -> Value
    ) throws(SiteDataFault) -> [String: Value] {
        guard let members = json.objectValue else {
            throw SiteDataFault("the file must be an object with a member for each domain")
        }
        var table: [String: Value] = [:]
        for member in members { table[try domain(member.name)] = try value(member.value) }
        return table
    }

    /// Whether a text is an address that a browser may open: https in printable ASCII.
    private static func isWebAddress(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let parts = URLComponents(string: text)
        else { return false }
        return parts.scheme?.lowercased() == "https" && parts.host?.isEmpty == false && parts.user == nil
    }

    /// A domain in lower case.
    static func domain(_ text: String?) throws(SiteDataFault) -> String {
        guard let text, let name = try? DomainName(text.lowercased()) else {
            throw SiteDataFault("a domain is not a domain name")
        }
        return name.description
    }

    /// The value of a host, or of the nearest domain above it.
    private static func value<Value>(_ host: String, _ find: (String) -> Value?) -> Value? {
        parents(of: host).lazy.compactMap(find).first
    }

    /// A host and the domains above it that have at least two labels.
    package static func parents(of host: String) -> [String] {
        let labels = host.split(separator: ".")
        guard labels.count > 2 else { return [host] }
        return (0...labels.count - 2).prefix(16).map { labels[$0...].joined(separator: ".") }
    }
}
