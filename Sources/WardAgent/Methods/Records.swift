internal import WardAgentClient
internal import WardCOSE
internal import WardText
internal import WardVault

extension ItemRecord.PasswordRecord {
    init(_ password: Password, reveal: Bool) {
        self.init(
            value: reveal ? password.value.revealed : nil,
            changedAt: password.changedAt,
            previous: password.history.count,
            history: reveal
                ? password.history.map {
                    ItemRecord.PreviousPassword(value: $0.value.revealed, replacedAt: $0.replacedAt)
                } : nil
        )
    }
}

extension ItemRecord.ConflictRecord {
    init(_ conflict: ItemConflict, reveal: Bool) {
        self.init(
            name: conflict.name,
            value: reveal || !conflict.isSecret ? conflict.text?.revealed : nil,
            device: "\(conflict.device)",
            time: conflict.time
        )
    }
}

extension ItemRecord.CodeRecord {
    init(_ code: OneTimePassword, reveal: Bool) {
        let type =
            switch code.kind {
            case .totp: "totp"
            case .hotp: "hotp"
            case .steam: "steam"
            }
        self.init(
            type: type,
            issuer: code.issuer,
            account: code.account,
            digits: code.digits,
            period: code.period,
            link: reveal ? code.link : nil
        )
    }
}

extension ItemRecord.SectionRecord {
    init(_ section: FieldSection, reveal: Bool) {
        let fields = section.fields.map { field in
            let value: String? = field.value.text ?? field.value.bytes.map { Base64URL.encode($0) }
            return ItemRecord.FieldRecord(
                name: field.name.rawValue,
                label: field.label,
                type: field.type.rawValue,
                value: reveal || !field.isConcealed ? value : nil
            )
        }
        self.init(kind: section.kind.rawValue, label: section.label, fields: fields)
    }
}

extension PasskeyRecord {
    init(_ passkey: StoredPasskey, in item: ItemID) {
        self.init(
            credentialID: passkey.credentialID,
            item: item.text,
            rpID: passkey.rpID,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: passkey.algorithm.name,
            isHidden: passkey.isHidden,
            createdAt: passkey.createdAt,
            lastUsedAt: passkey.lastUsedAt
        )
    }

    /// A passkey in the form for lists.
    init(_ passkey: ItemSummary.Passkey, in item: ItemID) {
        self.init(
            credentialID: passkey.credentialID,
            item: item.text,
            rpID: passkey.rpID,
            userHandle: passkey.userHandle,
            userName: passkey.userName,
            userDisplayName: passkey.userDisplayName,
            algorithm: passkey.algorithm.name,
            isHidden: passkey.isHidden,
            createdAt: passkey.createdAt,
            lastUsedAt: passkey.lastUsedAt
        )
    }
}

extension SummaryRecord {
    /// An item in the form for lists, as JSON.
    init(_ summary: ItemSummary, isDamaged: Bool? = nil) {
        self.init(
            id: summary.id.text,
            kind: summary.kind.rawValue,
            title: summary.title,
            username: summary.username,
            sites: summary.sites.map(\.address),
            tags: summary.tags,
            isFavorite: summary.isFavorite,
            isDamaged: isDamaged,
            conflicts: summary.conflictCount == 0 ? nil : summary.conflictCount,
            hasPassword: summary.hasPassword,
            codes: summary.codeCount,
            passkeys: summary.passkeys.count,
            modifiedAt: summary.modifiedAt,
            deletedAt: summary.deletedAt
        )
        siteName = summary.siteName.isEmpty ? nil : summary.siteName
    }
}

extension RevisionRecord {
    /// A state, as JSON, with the name of its device.
    init(_ revision: ItemRevision, deviceName: String?) {
        self.init(
            id: revision.id.text,
            number: revision.number,
            time: revision.time,
            device: "\(revision.device)",
            deviceName: deviceName,
            change: revision.change?.rawValue,
            title: revision.title
        )
    }
}
