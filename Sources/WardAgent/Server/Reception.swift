/// The values that every connection needs to answer requests.
struct Reception: Sendable {
    let methods: MethodTable
    /// The rules that identify programs.
    let policy: AppPolicy
    let person: PersonSession
    /// The path of the vault's file.
    let vault: String
    /// The agent's process.
    let processID: Int32
}
