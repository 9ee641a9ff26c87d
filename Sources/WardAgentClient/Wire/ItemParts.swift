package import WardWebAuthn

/// The parts of an item as JSON.
extension ItemRecord {
    /// A site of the item.
    package struct SiteRecord: Codable, Hashable, Sendable {
        /// A URL, or `androidapp://…`, `iosapp://…`.
        package var address: String
        /// `domain`, `host`, `exact` or `never`.
        package var match: String

        package init(address: String, match: String) {
            self.address = address
            self.match = match
        }
    }

    package struct PasswordRecord: Codable, Hashable, Sendable {
        /// The current password; `nil` unless requested.
        package var value: String?
        /// The time when the password was set.
        package var changedAt: Int64
        /// The number of earlier passwords.
        package var previous: Int
        /// The earlier passwords, latest first; `nil` unless requested.
        package var history: [PreviousPassword]?

        package init(value: String? = nil, changedAt: Int64, previous: Int, history: [PreviousPassword]? = nil) {
            self.value = value
            self.changedAt = changedAt
            self.previous = previous
            self.history = history
        }
    }

    /// An earlier password.
    package struct PreviousPassword: Codable, Hashable, Sendable {
        /// The password.
        package var value: String
        /// The time when the password was replaced.
        package var replacedAt: Int64

        package init(value: String, replacedAt: Int64) {
            self.value = value
            self.replacedAt = replacedAt
        }
    }

    /// The secret of a verification code.
    package struct CodeRecord: Codable, Hashable, Sendable {
        /// `totp`, `hotp` or `steam`.
        package var type: String
        /// The issuer of the secret.
        package var issuer: String
        /// The account of the code.
        package var account: String
        /// The number of characters of a code.
        package var digits: Int
        /// The lifetime of a code in seconds; `nil` if it is counter-based.
        package var period: Int?
        /// The `otpauth` link with the secret; `nil` unless requested.
        package var link: String?

        package init(
            type: String,
            issuer: String,
            account: String,
            digits: Int,
            period: Int? = nil,
            link: String? = nil
        ) {
            self.type = type
            self.issuer = issuer
            self.account = account
            self.digits = digits
            self.period = period
            self.link = link
        }
    }

    /// A group of fields.
    package struct SectionRecord: Codable, Hashable, Sendable {
        /// The kind that defines these fields; empty for a group that the person made.
        package var kind: String
        /// The label of the group.
        package var label: String
        package var fields: [FieldRecord]

        package init(kind: String, label: String, fields: [FieldRecord]) {
            self.kind = kind
            self.label = label
            self.fields = fields
        }
    }

    package struct FieldRecord: Codable, Hashable, Sendable {
        /// The name of a known field; empty for a field that the person made.
        package var name: String
        /// The label of the field.
        package var label: String
        /// The type of the value, such as `string` or `concealed-string`.
        package var type: String
        /// The value; bytes are in base64url.
        ///
        /// It is `nil` if the value is hidden and was not requested.
        package var value: String?

        package init(name: String, label: String, type: String, value: String? = nil) {
            self.name = name
            self.label = label
            self.type = type
            self.value = value
        }
    }

    /// A value from one device, while another device changed the same value.
    ///
    /// The item shows the value of the other device.
    package struct ConflictRecord: Codable, Hashable, Sendable {
        /// The changed value: `title`, `username`, `password`, `notes`, `kind`, or the name or label of a field.
        package var name: String
        /// The value; `nil` if it is hidden and was not requested.
        package var value: String?
        /// The device on which the value was entered.
        package var device: String
        /// The name of the device; `nil` if the vault has no circle of devices, or if the name is not known.
        package var deviceName: String?
        /// The time when the value was entered.
        package var time: Int64

        package init(
            name: String,
            value: String? = nil,
            device: String,
            deviceName: String? = nil,
            time: Int64
        ) {
            self.name = name
            self.value = value
            self.device = device
            self.deviceName = deviceName
            self.time = time
        }
    }
}

extension ItemChange {
    /// A change of a field.
    ///
    /// The field is found by its label, or by its name if the item's kind defines it.
    package struct FieldChange: Codable, Sendable {
        /// The label or the name.
        package var label: String
        /// The value; `nil` removes the field.
        package var value: String?
        /// Whether the value is hidden by default.
        package var isConcealed: Bool

        /// Creates a change of a field.
        package init(label: String, value: String?, isConcealed: Bool = false) {
            self.label = label
            self.value = value
            self.isConcealed = isConcealed
        }
    }
}

/// A passkey as JSON, without its private key.
package struct PasskeyRecord: Codable, Hashable, Sendable {
    package var credentialID: CredentialID
    /// The item ID.
    package var item: String
    package var rpID: String
    package var userHandle: UserHandle
    package var userName: String
    package var userDisplayName: String
    /// The signature algorithm, such as `ES256`.
    package var algorithm: String
    /// Whether the site signalled that it no longer knows the passkey.
    package var isHidden: Bool
    /// The time of creation.
    package var createdAt: Int64
    /// The time of the last use.
    package var lastUsedAt: Int64?

    package init(
        credentialID: CredentialID,
        item: String,
        rpID: String,
        userHandle: UserHandle,
        userName: String,
        userDisplayName: String,
        algorithm: String,
        isHidden: Bool,
        createdAt: Int64,
        lastUsedAt: Int64? = nil
    ) {
        self.credentialID = credentialID
        self.item = item
        self.rpID = rpID
        self.userHandle = userHandle
        self.userName = userName
        self.userDisplayName = userDisplayName
        self.algorithm = algorithm
        self.isHidden = isHidden
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// A revision of an item, as JSON.
package struct RevisionRecord: Codable, Hashable, Sendable {
    /// The revision ID.
    package var id: String
    /// The number of the revision, from 1.
    package var number: Int
    /// The time when the revision was made.
    package var time: Int64
    /// The device that made it.
    package var device: String
    /// The name of the device; `nil` if the vault has no circle of devices, or if the name is not known.
    package var deviceName: String?
    /// The kind of change: `created`, `edited`, `used`, …; `nil` if the revision's content was removed.
    package var change: String?
    /// The title in this revision.
    package var title: String?

    package init(
        id: String,
        number: Int,
        time: Int64,
        device: String,
        deviceName: String? = nil,
        change: String? = nil,
        title: String? = nil
    ) {
        self.id = id
        self.number = number
        self.time = time
        self.device = device
        self.deviceName = deviceName
        self.change = change
        self.title = title
    }
}
