import Foundation

/// Shiny, the sample app: accounts at a service, with passkeys.
@main
struct Shiny {
    @MainActor
    static func main() async {
        let address = CommandLine.arguments.dropFirst().first ?? "http://localhost:8080"
        guard CommandLine.arguments.count <= 2, let service = Service(address) else {
            FileHandle.standardError.write(Data("usage: Shiny [http://localhost:8080]\n".utf8))
            exit(2)
        }
        await App(service).run()
    }
}
