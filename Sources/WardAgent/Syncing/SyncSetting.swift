internal import WardCBOR
internal import WardSync
internal import WardVault

/// The sync of a vault on this device: its folder or server, and what this device remembers of it.
///
/// This device stores it, encrypted with the vault's key.
struct SyncSetting: Hashable, Sendable {
    /// The name of the file in the state folder.
    static let record = "sync"
    /// After how many seconds a person is told that entries of other devices are lacking.
    ///
    /// A device that is bringing something to a server needs less. Into another folder each device brings its own entries, and others only
    /// after a day.
    private var longLack: Int64 { server == nil ? 90_000 : 3_600 }
    /// Of the time between two syncs so many seconds count at most.
    ///
    /// A device that sleeps hears nothing of what arrives. A folder gets files also while the vault is locked.
    private var longestPause: Int64 { server == nil ? 21_600 : 900 }
    /// The length of a stored sentence, in characters.
    private static let longestSentence = 1000

    /// Why syncs fail.
    struct Trouble: Hashable, Sendable {
        let code: String
        let message: String
        /// The time of the first failure.
        let since: Int64
    }

    /// What the vault is synced with.
    enum Place: Hashable, Sendable {
        /// A folder, by its absolute path.
        case folder(String)
        case server(ServerAddress)
    }

    var place: Place
    /// The time when sync was switched on.
    var since: Int64
    /// The time when the last sync without an error ended.
    var lastSuccess: Int64?
    var trouble: Trouble?
    /// When the first one of the last syncs without an error ended, if each of them lacked entries of other devices.
    var lackingSince: Int64?
    /// The devices that the person knows of; `nil` before the first sync.
    var memory: CircleMemory?
    /// The moves of the vault that this device has followed, or that the person has decided about.
    var knownMoves: [[UInt8]] = []

    init(_ place: Place, since: Int64) {
        self.place = place
        self.since = since
    }

    /// The absolute path of the folder; `nil` for a server.
    var folder: String? { if case .folder(let path) = place { path } else { nil } }

    /// The address of the server; `nil` for a folder.
    var server: ServerAddress? { if case .server(let address) = place { address } else { nil } }

    /// Whether entries of other devices were lacking in all syncs for so long that the person must know.
    var hasLackedLong: Bool {
        guard let lackingSince, let lastSuccess else { return false }
        return lackingSince <= lastSuccess - longLack
    }

    /// Notes a sync without an error.
    mutating func note(_ report: SyncReport, at now: Int64) {
        let pause = max(0, now - max(0, lastSuccess ?? now) - longestPause)
        (lastSuccess, trouble) = (now, nil)
        lackingSince = report.lacksEntries ? min(max(0, lackingSince ?? now) + pause, now) : nil
    }

    /// Reads the setting of this device for an open vault.
    ///
    /// It is `nil` if sync is off.
    ///
    /// - Throws: `VaultError` with `locked` or `closed`.
    static func read(from vault: Vault) async throws(VaultError) -> SyncSetting? {
        try await vault.deviceRecord(record).flatMap { SyncSetting(encoded: $0) }
    }

    init?(encoded bytes: [UInt8]) {
        guard let value = try? CBORValue.decode(bytes), let since = value[2]?.integerValue else { return nil }
        if let folder = value[1]?.textValue {
            place = .folder(folder)
        } else if let address = value[6]?.textValue.flatMap({ ServerAddress($0) }) {
            place = .server(address)
        } else {
            return nil
        }
        self.since = since
        lastSuccess = value[3]?.integerValue
        if let code = value[4]?[1]?.textValue, let message = value[4]?[2]?.textValue,
            let since = value[4]?[3]?.integerValue
        {
            trouble = Trouble(code: code, message: message, since: since)
        }
        memory = value[5].flatMap { CircleMemory($0) }
        knownMoves = value[7]?.arrayValue?.compactMap(\.bytesValue) ?? []
        lackingSince = value[8]?.integerValue
    }

    var encoded: [UInt8] {
        var fields = CBORFields()
        fields.put(1, folder.map { .text($0) })
        fields.put(2, .integer(since))
        fields.put(3, lastSuccess.map { .integer($0) })
        if let trouble {
            var part = CBORFields()
            part.put(1, .text(trouble.code))
            part.put(2, .text(String(trouble.message.prefix(Self.longestSentence))))
            part.put(3, .integer(trouble.since))
            fields.put(4, part.value)
        }
        fields.put(5, memory?.value)
        fields.put(6, server.map { .text($0.text) })
        fields.put(7, knownMoves.isEmpty ? nil : .array(knownMoves.map { .bytes($0) }))
        fields.put(8, lackingSince.map { .integer($0) })
        return fields.encoded
    }

    /// Writes the setting and replaces the earlier one.
    func keep(in vault: Vault) async throws(VaultError) {
        try await vault.keepDeviceRecord(encoded, Self.record)
    }
}
