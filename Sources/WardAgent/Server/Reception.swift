/// What every connection needs to answer requests.
struct Reception: Sendable {
    let methods: MethodTable
    /// How programs are told apart.
    let policy: AppPolicy
    let person: PersonSession
    /// The path of the vault's file.
    let vault: String
    /// The agent's process.
    let processID: Int32
}
