internal import WardCOSE
internal import WardText
internal import WardVault

extension ImportFormat {
    /// The export of Proton Pass: an archive, or the JSON inside.
    static let protonPass = ImportFormat(id: "proton-pass", title: "Proton Pass") { source in
        guard ZipArchive.isArchive(source.bytes) else {
            return ImportedJSON.memberNames(source.bytes).isSuperset(of: ["version", "vaults"])
        }
        guard let archive = try? ZipArchive(source.bytes) else { return false }
        return archive.names.contains { $0.hasPrefix("Proton Pass/data.") }
    } read: { (source) throws(ImportError) in
        let document: JSONValue
        if ZipArchive.isArchive(source.bytes) {
            let archive = try ZipArchive(source.bytes)
            guard let data = try archive.content("Proton Pass/data.json") else {
                throw ImportError(
                    .unsupported,
                    "the export is encrypted with PGP; export again as ZIP, or decrypt data.pgp with gpg and import the result"
                )
            }
            document = try ImportedJSON.document(data)
        } else {
            document = try ImportedJSON.document(source.bytes)
        }
        guard let vaults = document["vaults"]?.objectValue else {
            throw ImportError(.malformed, "the file has no vaults")
        }
        var file = ImportedFile()
        for vault in vaults {
            let name = vault.value["name"]?.stringValue ?? ""
            for json in vault.value["items"]?.elements ?? [] {
                var item = ProtonItem(
                    json,
                    vault: vaults.count > 1 ? name : "",
                    index: file.items.count,
                    now: source.now
                )
                let draft = item.read()
                file.notices += draft.notices
                if !item.isSkipped { file.items.append(draft.finished()) }
            }
        }
        return file
    }
}

/// Reads one item of Proton Pass.
private struct ProtonItem {
    private let json: JSONValue
    private var draft: ItemDraft
    /// Whether the item does not come into the vault.
    private(set) var isSkipped = false

    init(_ json: JSONValue, vault: String, index: Int, now: Int64) {
        self.json = json
        let title = json["data"]?["metadata"]?["name"]?.stringValue
        draft = ItemDraft(title: title, fallback: "Item \(index + 1)", now: now)
        draft.tags = [vault]
    }

    mutating func read() -> ItemDraft {
        guard json["state"]?.wholeNumber != 2 else {
            isSkipped = true
            draft.note(.skipped, "the item is in the trash of Proton Pass")
            return draft
        }
        let data = json["data"] ?? .null
        let content = data["content"] ?? .null
        draft.notes = data["metadata"]?["note"]?.stringValue ?? ""
        draft.createdAt = json["createTime"]?.wholeNumber
        draft.isFavorite = json["pinned"]?.boolValue ?? false
        switch data["type"]?.stringValue {
        case "login": readLogin(content)
        case "note": draft.kind = .note
        case "alias": draft.username = json["aliasEmail"]?.stringValue ?? ""
        case "creditCard": readCard(content)
        case "sshKey":
            draft.kind = .sshKey
            draft.own(.privateKey, content["privateKey"]?.shownText, .concealed)
            draft.own("publicKey", content["publicKey"]?.shownText)
            readSections(content["sections"])
        case "wifi":
            draft.kind = .wifi
            draft.own(.ssid, content["ssid"]?.shownText)
            draft.own(.passphrase, content["password"]?.shownText, .concealed)
            readSections(content["sections"])
        case "identity": readIdentity(content)
        default:
            draft.kind = .note
            readSections(content["sections"])
            draft.keep(content.members(except: ["sections"]), as: "com.proton.pass")
        }
        for app in data["platformSpecific"]?["android"]?["allowedApps"]?.elements ?? [] {
            draft.addSite(app["packageName"]?.shownText.map { "androidapp://" + $0 })
        }
        for field in data["extraFields"]?.elements ?? [] {
            if field["type"]?.stringValue == "totp" {
                draft.addCode(field["data"]?["totpUri"]?.stringValue)
            } else if let field = Self.field(field) {
                draft.fields.append(field)
            }
        }
        return draft
    }

    private mutating func readLogin(_ content: JSONValue) {
        let (email, user) = (content["itemEmail"]?.shownText, content["itemUsername"]?.shownText)
        // Files of earlier versions have one name.
        draft.username = user ?? email ?? content["username"]?.shownText ?? ""
        if user != nil, let email {
            draft.fields.append(Field(label: "Email", type: .email, value: .text(SecretText(email))))
        }
        draft.password = content["password"]?.stringValue ?? ""
        for url in content["urls"]?.elements ?? [] { draft.addSite(url.stringValue) }
        draft.addCode(content["totpUri"]?.stringValue)
        for passkey in content["passkeys"]?.elements ?? [] { draft.addPasskey(ImportedPasskey(proton: passkey)) }
    }

    private mutating func readCard(_ content: JSONValue) {
        draft.kind = .card
        draft.own(.number, content["number"]?.shownText, .concealed)
        draft.own(.fullName, content["cardholderName"]?.shownText)
        draft.own(.verificationNumber, content["verificationNumber"]?.shownText, .concealed)
        draft.own(.pin, content["pin"]?.shownText, .concealed)
        draft.own(.expiryDate, content["expirationDate"]?.shownText, .yearMonth)
    }

    private mutating func readIdentity(_ content: JSONValue) {
        draft.kind = .identity
        let names: [String: (FieldName, Field.ValueType)] = [
            "fullName": (.fullName, .text), "firstName": (.given, .text), "middleName": ("given2", .text),
            "lastName": (.surname, .text), "email": ("email", .email), "phoneNumber": (.telephone, .text),
            "birthdate": (.birthDate, .text), "streetAddress": (.streetAddress, .text),
            "zipOrPostalCode": (.postalCode, .text), "city": (.city, .text), "stateOrProvince": (.territory, .text),
            "countryOrRegion": (.country, .text), "socialSecurityNumber": ("identificationNumber", .concealed),
            "passportNumber": (.passportNumber, .text), "licenseNumber": (.licenseNumber, .text),
            "company": ("company", .text),
        ]
        for member in content.objectValue ?? [] {
            if let (name, type) = names[member.name] {
                draft.own(name, member.value.shownText, type)
            } else if let text = member.value.shownText {
                draft.addField(member.name, text)
            } else if member.name != "extraSections" {
                draft.fields += member.value.elements.compactMap(Self.field)
            }
        }
        readSections(content["extraSections"])
    }

    private mutating func readSections(_ sections: JSONValue?) {
        for section in sections?.elements ?? [] {
            let fields = (section["sectionFields"]?.elements ?? []).compactMap(Self.field)
            guard !fields.isEmpty else { continue }
            let label = ItemTitle.clean(section["sectionName"]?.stringValue ?? "")
            draft.sections.append(FieldSection(label: label, fields: fields))
        }
    }

    /// A field of the person.
    private static func field(_ json: JSONValue) -> Field? {
        let data = json["data"] ?? .null
        guard let text = (data["content"] ?? data["totpUri"] ?? data["timestamp"])?.shownText else { return nil }
        let isConcealed = ["hidden", "totp"].contains(json["type"]?.stringValue)
        return Field(label: ItemTitle.clean(json["fieldName"]?.stringValue ?? ""), text: text, isConcealed: isConcealed)
    }
}

extension ImportedPasskey {
    /// A passkey of Proton Pass: JSON around a key in MessagePack.
    ///
    /// What cannot be read is left empty, so that ``stored(now:)`` refuses it.
    fileprivate init(proton json: JSONValue) {
        let outer = (json["content"]?.stringValue.flatMap(Base64.decode(lenient:))).flatMap { MessagePack($0) }
        let content = outer?["c"] ?? outer?["content"]
        let key = content?.bytesValue.flatMap { MessagePack($0) }
        self.init(
            credentialID: key?["cid"]?.bytesValue ?? [],
            rpID: key?["rid"]?.textValue ?? json["rpId"]?.stringValue ?? "",
            rpName: json["rpName"]?.stringValue ?? "",
            userHandle: key?["uhd"]?.bytesValue ?? [],
            userName: json["userName"]?.stringValue ?? "",
            userDisplayName: json["userDisplayName"]?.stringValue ?? "",
            privateKey: key?["key"].flatMap(Self.privateKey) ?? [],
            counter: key?["cnt"]?.integerValue ?? 0,
            createdAt: json["createTime"]?.wholeNumber
        )
        let secrets = key?["ext"]?["hmac_secret"]
        if let with = secrets?["cred_with_uv"]?.bytesValue, with.count == 32 {
            let without = secrets?["cred_without_uv"]?.bytesValue
            prf = StoredPasskey.PRFSecrets(
                withVerification: SecretBytes(with),
                withoutVerification: without.flatMap { $0.count == 32 ? SecretBytes($0) : nil }
            )
        }
    }

    /// The private key of a COSE key that was written as labels and values; -4 is the number.
    private static func privateKey(_ key: MessagePack) -> [UInt8]? {
        for pair in key["par"]?.arrayValue ?? [] {
            guard let pair = pair.arrayValue, pair.count == 2, pair[0]["c"]?.integerValue == -4,
                let number = pair[1]["c"]?.bytesValue
            else { continue }
            let algorithm: COSEAlgorithmIdentifier = key["kty"]?["c"]?.textValue == "OKP" ? .edDSA : .es256
            guard let key = try? COSEPrivateKey(algorithm: algorithm, rawRepresentation: number) else { return nil }
            return (try? StoredPasskey.encodePrivateKey(key))?.revealed
        }
        return nil
    }
}
