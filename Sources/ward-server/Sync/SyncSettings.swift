import Foundation
import WardServer

/// The settings of the sync server.
struct SyncSettings: Hashable {
    var listen: ListenAddress
    /// The server as devices reach it, which they sign.
    var host: String
    var database: String
    /// The length of all entries of a vault, in bytes.
    var vaultBytes: Int64
    var vaultEntries: Int64
    /// The number of vaults of an account; 0 if a vault needs an invitation.
    var accountVaults: Int64
    /// The length of all entries of the vaults of an account, in bytes.
    var accountBytes: Int64

    /// The default: only this machine, beside the service.
    static let standardAddress = "127.0.0.1:8081"

    /// Reads the settings; `nil` if there is no sync server.
    ///
    /// - Parameters:
    ///   - reader: Reads one setting.
    ///   - rpID: The RP ID of the service.
    ///   - database: The database of the service; that of the sync server is beside it if none is set.
    /// - Throws: ``SettingsError`` naming the setting that cannot be used.
    init?(_ reader: SettingsReader, rpID: String, besideDatabase database: String) async throws {
        let names: [Setting] = [
            .syncListen, .syncHost, .syncDatabase, .syncVaultSize, .syncVaultEntries, .syncAccountVaults,
            .syncAccountSize,
        ]
        guard try await reader.flag(.sync) else {
            for name in names {
                guard try await reader.string(name) == nil else {
                    throw SettingsError("--\(name.rawValue) needs --sync, which runs the sync server")
                }
            }
            return nil
        }
        let listen =
            try await reader.parsed(.syncListen) { try ListenAddress($0) } ?? ListenAddress(Self.standardAddress)
        self.listen = listen
        guard !listen.isFromSystemd else {
            throw SettingsError(
                "--sync-listen: systemd opens the sockets of --listen only; give HOST:PORT or unix:PATH"
            )
        }
        host = try await Self.host(reader) ?? Self.usualHost(rpID, listen)
        self.database = try await Self.database(reader, beside: database)
        vaultBytes = try await Self.number(reader, .syncVaultSize, in: 1...1_048_576, else: 256) * 1024 * 1024
        vaultEntries = try await Self.number(reader, .syncVaultEntries, in: 1_000...10_000_000, else: 1_000_000)
        accountVaults = try await Self.number(reader, .syncAccountVaults, in: 0...1_000, else: 5)
        accountBytes = try await Self.number(reader, .syncAccountSize, in: 1...1_048_576, else: 512) * 1024 * 1024
    }

    /// The host if none is set: the RP ID.
    ///
    /// On this machine alone devices connect to the port itself, so they sign it.
    private static func usualHost(_ rpID: String, _ listen: ListenAddress) -> String {
        let isAtItsPort = rpID == "localhost" && listen.port != 0 && listen.port != 443
        return isAtItsPort ? "\(rpID):\(listen.port)" : rpID
    }

    private static func host(_ reader: SettingsReader) async throws -> String? {
        guard let text = try await reader.string(.syncHost) else { return nil }
        let isClean =
            (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
        guard isClean else {
            throw SettingsError(
                "--sync-host: give the name in small letters, and the port if it is not 443, such as sync.example.com"
            )
        }
        return text
    }

    /// The path of the sync server's database.
    static func database(_ reader: SettingsReader, beside database: String) async throws -> String {
        if let path = try await reader.string(.syncDatabase) { return path }
        guard database != ServeSettings.memory else { return database }
        return URL(fileURLWithPath: database).deletingLastPathComponent().appendingPathComponent("sync.sqlite").path
    }

    private static func number(
        _ reader: SettingsReader,
        _ setting: Setting,
        in range: ClosedRange<Int64>,
        else standard: Int64
    ) async throws -> Int64 {
        guard let text = try await reader.string(setting) else { return standard }
        guard let number = Int64(text), String(number) == text, range.contains(number) else {
            throw SettingsError(
                "--\(setting.rawValue): give a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\""
            )
        }
        return number
    }
}
