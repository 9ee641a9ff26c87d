import HTTPTypes
import Testing
import WardAccounts
import WardServer
import WardTesting

/// A service with an admin page, an administrator who is signed in, and a person.
struct AdminFixture {
    let store: MemoryAccountStore
    let world: ServiceFixture
    /// The browser of the administrator, whose name is olga.
    let person: Visitor
    /// The account of the administrator.
    let root: AccountID
    /// The ID of the account of a person whose name is ada.
    let ada: String

    /// The ID of no account.
    static let nobody = AccountID.random { Array(repeating: 7, count: $0) }.text

    static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin

    static var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.adminGroup = "admins"
        return configuration
    }

    func setGroups(of name: String, _ groups: [String]) async throws {
        let names = try groups.map { try GroupName($0) }
        try await store.write { tx in
            let account = try #require(try tx.account(username: name))
            try tx.setAccount(id: account.id, groups: names)
        }
    }

    func account(_ name: String) async throws -> Account {
        try await store.read { try #require(try $0.account(username: name)) }
    }

    func events() async throws -> [AuditEvent] {
        try await store.read { try $0.auditEntries(after: 0, limit: 500) }.map(\.event)
    }
}

/// Runs a service with an admin page.
func withAdministrators(
    _ configuration: ServerConfiguration = AdminFixture.configuration,
    _ body: @escaping @Sendable (AdminFixture) async throws -> Void
) async throws {
    let store = MemoryAccountStore()
    try await withService(configuration, store: store) { world in
        let person = world.visitor()
        try await person.register("olga")
        try await person.signIn()
        try await world.visitor().register("ada")
        let (root, ada) = try await store.read { tx in
            (try #require(try tx.account(username: "olga")), try #require(try tx.account(username: "ada")))
        }
        let fixture = AdminFixture(store: store, world: world, person: person, root: root.id, ada: ada.id.text)
        try await fixture.setGroups(of: "olga", ["admins"])
        try await body(fixture)
    }
}
