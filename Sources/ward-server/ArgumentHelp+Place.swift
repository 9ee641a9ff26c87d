import ArgumentParser

/// What `--help` says of the settings for the name, the looks and the addresses of the service.
extension ArgumentHelp {
    static let rpID = ArgumentHelp(
        "The domain of the passkeys (default: localhost). If you change it, all passkeys become unusable.",
        valueName: "domain"
    )

    static let rpName = ArgumentHelp("The service's name in prompts and pages (default: Ward).", valueName: "name")

    static let logo = ArgumentHelp(
        "The logo of the pages: an image in SVG, PNG, WebP or JPEG, at most 256 KiB (default: Ward's).",
        valueName: "path"
    )

    static let icon = ArgumentHelp(
        """
        The picture for home screens and credential managers: a square PNG, 180 to 1024 pixels wide, at most 256 KiB \
        (default: the logo, or Ward's).
        """,
        valueName: "path"
    )

    static let accentColor = ArgumentHelp(
        """
        The color of buttons and links on the pages, dark enough to read on white; dark pages have a lighter one \
        (default: Ward's).
        """,
        valueName: "#rrggbb"
    )

    static let metadata = ArgumentHelp(
        """
        The BLOB of the FIDO Metadata Service, for rules that ask for attestation and for pictures of authenticators \
        (default: none).
        """,
        valueName: "path"
    )

    static let homeURL = ArgumentHelp("The site to which the pages lead back (default: none).", valueName: "address")

    static let origin = ArgumentHelp(
        "An origin of the service's pages or apps; can be repeated (default: derived from the RP ID).",
        valueName: "origin"
    )

    static let relatedOrigin = ArgumentHelp(
        "An origin outside the domain that may use its passkeys; can be repeated.",
        valueName: "origin"
    )

    static let app = ArgumentHelp(
        "An app that may use the domain's passkeys and passwords, as TEAM.bundle; can be repeated.",
        valueName: "app"
    )

    static let androidApp = ArgumentHelp(
        """
        An Android app that may use the domain's passkeys and passwords, with the SHA-256 fingerprint of its \
        certificate; can be repeated.
        """,
        valueName: "package=fingerprint"
    )

    static let appOrigin = ArgumentHelp(
        "An app whose proxy asks this service who is signed in, such as https://app.example.com; can be repeated.",
        valueName: "origin"
    )

    static let corsOrigin = ArgumentHelp(
        "An origin whose pages may call the API with a bearer token, without cookies; can be repeated.",
        valueName: "origin"
    )

    static let listen = ArgumentHelp(
        """
        The address to listen on, unix: and the path of a socket, or systemd for sockets that systemd opens (default: \
        127.0.0.1:8080).
        """,
        valueName: "host:port"
    )

    static let metricsListen = ArgumentHelp(
        "The address at which /metrics has numbers for Prometheus (default: none).",
        valueName: "host:port"
    )

    static let adminListen = ArgumentHelp(
        """
        Serve the admin API at this address, or at unix: and the path of a socket, for programs with a token of \
        ward-server token (default: nowhere).
        """,
        valueName: "host:port"
    )

    static let adminGroup = ArgumentHelp(
        "The group of the people who may use the admin page, at /admin (default: there is no admin page).",
        valueName: "name"
    )

    static let trustedProxies = ArgumentHelp(
        """
        A proxy in front of the service, as an address, a prefix such as 10.0.0.0/8, or unix; can be repeated. none if \
        there is no proxy. Without it nothing is limited by address.
        """,
        valueName: "proxy"
    )
}
