internal import WardVault

/// A part of an item, as notices about exports name it.
public enum ExportPart: String, CaseIterable, Hashable, Sendable, Codable {
    /// The whole item.
    case item
    /// The kind: a card, an identity, a network, a key.
    case kind
    /// Web addresses after the first one.
    case sites
    /// Sites that are apps.
    case apps
    /// Rules for matching pages other than the usual one.
    case match
    /// The user name.
    case username
    /// The password.
    case password
    /// Earlier passwords.
    case history
    /// Secrets of verification codes.
    case codes
    /// Secrets of verification codes after the first one.
    case furtherCodes = "further-codes"
    /// Secrets of codes that a counter makes.
    case counterCodes = "counter-codes"
    /// Passkeys.
    case passkeys
    /// Passkeys after the first one.
    case furtherPasskeys = "further-passkeys"
    /// The names that a site gave to passkeys.
    case passkeyNames = "passkey-names"
    /// The time of a passkey's last use, and whether a site signalled that it does not know the passkey.
    case passkeyState = "passkey-state"
    /// Whether a site knows a passkey as one that can be backed up.
    case backupFlags = "backup-flags"
    /// The protection level of passkeys.
    case protection
    /// The secrets of the extension `prf`.
    case prf
    /// The content of the extension `largeBlob`.
    case largeBlob = "large-blob"
    /// The notes.
    case notes
    /// Fields.
    case fields
    /// The groups and types of fields.
    case fieldGroups = "field-groups"
    /// Tags.
    case tags
    /// Tags after the first one.
    case furtherTags = "further-tags"
    /// Whether the item is a favourite.
    case favorite
    /// The times of creation and change.
    case times
    /// Attached files.
    case attachments
    /// Values that other devices changed at the same time.
    case conflicts
    /// Data of other programs that Ward does not understand.
    case unknown

    /// Whether an item has the part.
    func isPresent(in item: Item) -> Bool {
        switch self {
        case .item: false
        case .kind: ![.login, .note].contains(item.kind)
        case .sites: item.sites.count { if case .web = $0.target { true } else { false } } > 1
        case .apps: item.sites.contains { if case .web = $0.target { false } else { true } }
        case .match: item.sites.contains { $0.match != .domain }
        case .username: !item.username.isEmpty
        case .password: !(item.password?.value.isEmpty ?? true)
        case .history: !(item.password?.history.isEmpty ?? true)
        case .codes: !item.codes.isEmpty
        case .furtherCodes: item.codes.count > 1
        case .counterCodes: item.codes.contains { if case .hotp = $0.kind { true } else { false } }
        case .passkeys: !item.passkeys.isEmpty
        case .furtherPasskeys: item.passkeys.count > 1
        case .passkeyNames: item.passkeys.contains { !$0.rpName.isEmpty || !$0.userDisplayName.isEmpty }
        case .passkeyState: item.passkeys.contains { $0.lastUsedAt != nil || $0.isHidden }
        case .backupFlags: item.passkeys.contains { !$0.isBackupEligible }
        case .protection: item.passkeys.contains { $0.protection ?? 1 > 1 }
        case .prf: item.passkeys.contains { $0.prf != nil }
        case .largeBlob: item.passkeys.contains { $0.largeBlob != nil }
        case .notes: !item.notes.isEmpty
        case .fields: item.sections.contains { !$0.fields.isEmpty }
        case .fieldGroups: item.sections.contains { !Self.isPlain($0) }
        case .tags: !item.tags.isEmpty
        case .furtherTags: item.tags.count > 1
        case .favorite: item.isFavorite
        case .times: true
        case .attachments: !item.attachments.isEmpty
        case .conflicts: !item.conflicts.isEmpty
        case .unknown: item.hasUnknownData
        }
    }

    /// Whether a group has only fields that a label and a text describe.
    private static func isPlain(_ section: FieldSection) -> Bool {
        section.fields.isEmpty
            || section.kind.rawValue.isEmpty && section.label.isEmpty
                && section.fields.allSatisfy { [.text, .concealed].contains($0.type) && $0.value.text != nil }
    }

    /// The parts of which this one is only a detail.
    ///
    /// If one of them is left out, nothing is said about the detail.
    var wholes: [ExportPart] {
        switch self {
        case .furtherCodes, .counterCodes: [.codes]
        case .furtherPasskeys, .passkeyNames, .passkeyState, .backupFlags, .protection, .prf, .largeBlob: [.passkeys]
        case .fieldGroups: [.fields]
        case .furtherTags: [.tags]
        default: []
        }
    }

    /// What a person reads if the part is left out.
    var skipped: String {
        switch self {
        case .item: "the item is left out"
        case .kind: "the kind of the item is lost"
        case .sites: "only the first web address is written"
        case .apps: "the names of apps are left out"
        case .match: "the rules for matching pages are lost"
        case .username: "the user name is left out"
        case .password: "the password is left out"
        case .history: "earlier passwords are left out"
        case .codes: "the secrets of verification codes are left out"
        case .furtherCodes: "only the first verification code is written"
        case .counterCodes: "the secrets of counter-based codes are left out"
        case .passkeys: "passkeys are left out"
        case .furtherPasskeys: "only the first passkey is written"
        case .passkeyNames: "the names that the site gave to the passkey and its account are lost"
        case .passkeyState: "the time of the passkey's last use, and whether it is hidden, are lost"
        case .backupFlags:
            "the site knows the passkey as one without a backup; it may refuse the passkey from another manager"
        case .protection: "the passkey's protection level is lost"
        case .prf: "the passkey's secrets for prf are left out: what the site encrypted with them stays encrypted"
        case .largeBlob: "the data that the site stored with the passkey is left out"
        case .notes: "the notes are left out"
        case .fields: "the fields are left out"
        case .fieldGroups: "the groups and types of fields are lost"
        case .tags: "the tags are left out"
        case .furtherTags: "only the first tag is written"
        case .favorite: "that the item is a favorite is lost"
        case .times: "the times of creation and change are lost"
        case .attachments: "the attached files are left out"
        case .conflicts: "other values from other devices are left out"
        case .unknown: "data of another program that Ward does not understand is left out"
        }
    }
}
