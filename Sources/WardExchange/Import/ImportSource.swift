public import WardVault

/// A file to import, with what the person gave to open it.
public struct ImportSource: Sendable {
    /// The name of the file without its folder.
    ///
    /// Formats use it only to tell apart files whose content does not.
    public var name: String
    /// The content.
    public var bytes: [UInt8]
    /// The passphrase of the file, if the person was asked for it.
    ///
    /// A format that needs one and finds `nil` throws ``ImportError/Code/passphraseNeeded``, and the caller asks and reads again.
    public var passphrase: SecretText?
    /// The content of a key file, if the person named one.
    public var keyFile: SecretBytes?
    /// The time of the import, in seconds since 1970.
    public var now: Int64

    /// The maximum size of a file, in bytes.
    public static let maximumSize = 128 << 20
    /// The maximum number of items of a file.
    public static let maximumItems = 200_000

    /// Creates a source.
    public init(
        name: String,
        bytes: [UInt8],
        passphrase: SecretText? = nil,
        keyFile: SecretBytes? = nil,
        now: Int64
    ) {
        self.name = name
        self.bytes = bytes
        self.passphrase = passphrase
        self.keyFile = keyFile
        self.now = now
    }
}
