import ArgumentParser

/// What `--help` says of the settings of the sync server.
extension ArgumentHelp {
    static let sync = ArgumentHelp("Run the sync server, which keeps the encrypted vaults of devices.")

    static let syncListen = ArgumentHelp(
        "The address of the sync server, or unix: and the path of a socket (default: 127.0.0.1:8081).",
        valueName: "host:port"
    )

    static let syncHost = ArgumentHelp(
        """
        The sync server as devices reach it, with the port if it is not 443 (default: the RP ID; if that is localhost, with \
        the port of --sync-listen). If you change it, devices must be told.
        """,
        valueName: "host"
    )

    static let syncDatabase = ArgumentHelp(
        "The SQLite database of the sync server (default: sync.sqlite beside the database).",
        valueName: "path"
    )

    static let syncVaultSize = ArgumentHelp(
        "The largest size of a vault in MiB, 1 to 1048576 (default: 256).",
        valueName: "number"
    )

    static let syncVaultEntries = ArgumentHelp(
        "The largest number of entries of a vault, 1000 to 10000000 (default: 1000000).",
        valueName: "number"
    )

    static let syncAccountVaults = ArgumentHelp(
        """
        The largest number of vaults of an account, 0 to 1000 (default: 5). With 0, a vault needs an invitation: ward-server sync invite.
        """,
        valueName: "number"
    )

    static let syncAccountSize = ArgumentHelp(
        "The largest size of all vaults of an account in MiB, 1 to 1048576 (default: 512).",
        valueName: "number"
    )
}
