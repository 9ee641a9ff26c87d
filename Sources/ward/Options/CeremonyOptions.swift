import ArgumentParser
import WardAgentClient

/// Context of a ceremony.
struct CeremonyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Origin of the page or app, such as https://example.com.", valueName: "origin"))
    var origin: String
    @Option(
        help: ArgumentHelp(
            "The origin in the address bar, if the page is in a frame of another origin.",
            valueName: "origin"
        )
    )
    var topOrigin: String?
    @Option(
        help: ArgumentHelp("Mediation: silent, optional, required or conditional.", valueName: "how"),
        transform: { text in
            guard let mediation = Mediation(rawValue: text) else {
                throw ValidationError("Use silent, optional, required or conditional.")
            }
            return mediation
        }
    )
    var mediation: Mediation?
}
