/// How often strangers may try what costs the service something, or could guess.
package struct Limits: Sendable {
    /// Wrong passwords for one name; and for one browser that signed in to the account before, counted by itself.
    package var perName = AttemptLimit.backoff(free: 10)
    /// Wrong passwords from one address, for any names.
    package var perAddress = AttemptLimit.rate(atOnce: 50, perHour: 120)
    /// Wrong passwords of everybody.
    package var overall = AttemptLimit.rate(atOnce: 5_000, perHour: 10_000)
    /// New accounts from one address.
    package var newAccounts = AttemptLimit.rate(atOnce: 30, perHour: 20)
    /// The largest number of counts that the store keeps for long.
    package static let mostCounts = 100_000

    /// The limits of the service.
    package static let standard = Limits()

    package init() {}
}
