internal import WardLog

/// What the server takes and keeps at most.
///
/// The constants are a part of the protocol; the operator can change the others.
package struct SyncLimits: Hashable, Sendable {
    // MARK: One request

    /// The maximum number of entries in one upload.
    package static let uploadEntries = 500
    /// The maximum length of an upload.
    package static let uploadBytes = 8 * 1024 * 1024
    /// How long an upload may take to arrive, in seconds, and how many of its bytes extend that by a second.
    package static let (uploadPatience, uploadRate) = (120, 4_096)
    /// How long a client may take nothing of an answer, in seconds, and how many bytes that it takes extend that by a second.
    ///
    /// Otherwise the clients of a few accounts that read nothing would keep all others from long answers.
    package static let (answerPatience, answerRate) = (120, 4_096)
    /// How long the longest upload can take, in seconds.
    package static let longestUpload = Int64(uploadPatience + uploadBytes / uploadRate)
    /// What an upload takes at least of the memory for uploads, however short it is.
    package static let leastUploadBytes = 64 * 1024
    /// The maximum length of the body of any other request.
    package static let statementBytes = 64 * 1024
    /// The maximum number of entries in one answer.
    package static let answerEntries: Int64 = 10_000
    /// The number of entries in an answer if the client names none.
    package static let usualEntries: Int64 = 500
    /// The maximum number of seconds that a client may wait for news in one request.
    package static let wait: Int64 = 25
    /// The time between two comments in a stream of events.
    package static let heartbeat = Duration.seconds(25)
    /// The maximum number of pairs of contradicting entries in one answer.
    package static let evidence = 100

    // MARK: Sessions

    /// How long a session lasts, in seconds.
    package static let sessionLifetime: Int64 = 3_600
    /// The maximum number of sessions of one device.
    package static let sessionsOfDevice = 4
    /// How long a challenge can be answered, in seconds.
    package static let challengeLifetime: Int64 = 120
    /// The maximum number of uploads of one device at the same time.
    package static let uploadsOfDevice = 4
    /// The maximum number of answers of one device at the same time, beside short ones.
    package static let answersOfDevice = 8
    /// What an answer takes of the memory for answers, however long it is: the page that is being written, and the next one.
    package static let answerBytes = 2 * 1024 * 1024
    /// What an answer with ``evidence`` takes: the entries are read at once.
    package static let evidenceBytes = 2 * evidence * LogEntry.maximumLength + answerBytes
    /// The length from which on an answer is not a short one.
    package static let shortAnswer = 16 * 1024
    /// The maximum number of requests of one device that wait for news, beside its stream of events.
    package static let waitingOfDevice = 4

    /// How long a vault can be brought with its invitation after the first upload, in seconds.
    package static let bringingLifetime: Int64 = 7 * 86_400
    /// How long the owner of an account has for bringing a vault after signing in, in seconds.
    package static let signInLifetime: Int64 = 600

    // MARK: Meetings

    /// How long a meeting waits for the new device, and how long it lasts after that, in seconds.
    package static let meetingLifetime: Int64 = 300
    /// The maximum number of messages of a meeting.
    package static let messagesOfMeeting: Int64 = 8
    /// The maximum length of a message: a reply to a new device, and what encrypts it.
    package static let messageBytes = 20_480
    /// The maximum length of all messages of a meeting.
    package static let meetingBytes = 32_768
    /// The maximum number of meetings of one vault, with those that were over a moment ago.
    package static let meetingsOfVault = 32
    /// What a code, or somebody who comes with one, counts in the rates below: one in ten seconds.
    package static let meetingCost: Int64 = 10

    // MARK: One vault

    /// The chains of one device, if entries of other devices name those beyond `LogLimits.chains`.
    ///
    /// Each member may have taken other ones from a folder, and then names them. Before a circle begins, nothing limits how many
    /// devices there are. Then a device has more than `LogLimits.chains` only while all devices together have at most so many chains
    /// beside their first ones.
    package static let namedChains = LogLimits.chains * CircleLimits.members
    /// The devices of a vault that ever wrote.
    ///
    /// Each costs memory with every entry that names another one, and before a circle nothing else limits them.
    package static let authors = 1_024
    /// How old a device's entry is at least, in seconds, if others may have cleared its blob.
    package static let cleared: Int64 = 30 * 86_400
    /// What operations of the circle can add when a vault is full, or when a device has used up its part.
    ///
    /// So a device that fills the vault can still be removed.
    package static let reservedEntries: Int64 = 1_024
    package static let reservedBytes: Int64 = 16 * 1024 * 1024
    package static let reservedPasts: Int64 = 8 * 1024 * 1024
    package static let reservedSteps: Int64 = 50_000_000
    /// How many words of memory the past of an entry takes on average, if the vault has all entries that it can have.
    ///
    /// Twenty devices need no more, even if each entry names another device. An entry itself takes at least as much memory.
    static let wordsOfEntry: Int64 = 32

    /// The length of all entries and blobs of a vault.
    package var vaultBytes: Int64 = 256 * 1024 * 1024
    /// The number of entries of a vault.
    package var vaultEntries: Int64 = 1_000_000
    /// How much memory the pasts of all entries of a vault take, and what they know of the circle, in words of eight bytes.
    var vaultPasts: Int64 { vaultEntries * Self.wordsOfEntry }
    /// How many steps computing the circle of a vault takes, with all its entries, and with what stays in memory about each two
    /// operations: a second or two, and 64 MiB.
    ///
    /// A circle of 32 devices that has used up its operations takes about 12 million, one of ten devices with fifty operations less than
    /// a million.
    package var circleSteps: Int64 = 200_000_000
    /// The part of a vault that one device can fill, in percent, when others write too.
    package var devicePercent: Int64 = 50
    /// How many revisions of one item one device can bring.
    ///
    /// What reads an item as a whole, such as clearing old data, takes time for each of them.
    package var revisionsOfItem = 20_000
    /// The maximum number of vaults of one account; with 0, a vault needs an invitation of the operator.
    package var vaultsOfAccount = 5
    /// The length of all entries and blobs of the vaults of one account.
    package var accountBytes: Int64 = 512 * 1024 * 1024

    // MARK: Rates

    /// How many entries a device can upload at once, and each second after that.
    ///
    /// A vault of many years comes without waiting. It costs a server a few seconds of processor time, mostly for signatures.
    package var entries = Rate(atOnce: 20_000, perSecond: 60)
    /// How many entries one account, or one vault without an account, can make the server read again, at once and each second after that.
    ///
    /// A log is read again if it is not in memory. That takes a few microseconds of processor time for each entry.
    package var readings = Rate(atOnce: 2_000_000, perSecond: 4_000)
    /// How many challenges and sessions one address can ask for at once, and each second after that.
    package var openings = Rate(atOnce: 120, perSecond: 2)

    /// How many codes a device can make, in units of ``meetingCost``.
    package var codes = Rate(atOnce: 100, perSecond: 1)
    /// How often somebody can come with a code from one address, in units of ``meetingCost``.
    package var joinings = Rate(atOnce: 100, perSecond: 1)

    // MARK: The whole server

    /// The maximum number of meetings at the same time.
    package var meetings = 1_000

    /// How long all uploads together can be that are in memory at the same time.
    package var uploadRoom = 16 * uploadBytes
    /// How much of that is for one account with all its vaults, or for one vault without an account, so that its devices cannot hold
    /// up all others: a quarter, and at least one upload.
    package var uploadShare: Int { max(uploadRoom / 4, Self.uploadBytes) }
    /// How much memory all answers can take that clients are reading at the same time.
    package var answerRoom = 128 * answerBytes
    /// How much of that is for one account with all its vaults, or for one vault without an account: a quarter.
    package var answerShare: Int { max(answerRoom / 4, Self.evidenceBytes) }
    /// The maximum number of requests that wait for news.
    package var listeners = 10_000
    /// How many of those are of one vault: what all devices of the largest circle can have.
    ///
    /// Before a circle begins a vault can have many more devices.
    package var listenersOfVault = CircleLimits.membersAfterRecovery * (waitingOfDevice + 1)
    /// The maximum number of requests that wait for their turn with one vault.
    package var waitingForVault = 64
    /// The maximum number of entries whose graphs are in memory; the graph of a vault in use always is.
    ///
    /// Each ``wordsOfEntry`` of memory that pasts take count as an entry too.
    package var cachedEntries = 500_000

    package init() {}

    package static let standard = Self()

    /// The part of a number that one device can have.
    func part(_ whole: Int64) -> Int64 { whole / 100 * devicePercent + whole % 100 * devicePercent / 100 }
}

/// A number of things at once, and then a number each second.
package struct Rate: Hashable, Sendable {
    package var atOnce: Int64
    package var perSecond: Int64

    package init(atOnce: Int64, perSecond: Int64) {
        self.atOnce = atOnce
        self.perSecond = perSecond
    }
}
