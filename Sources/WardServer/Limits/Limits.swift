/// Limits on requests of strangers that cost the service much, or that could guess a password.
package struct Limits: Sendable {
    /// The limit on wrong passwords for one name.
    ///
    /// A browser that signed in to the account before has a limit of its own.
    package var perName = AttemptLimit.backoff(free: 10)
    /// The limit on wrong passwords from one IP address, for any names.
    package var perAddress = AttemptLimit.rate(atOnce: 50, perHour: 120)
    /// The limit on wrong passwords from all clients together.
    package var overall = AttemptLimit.rate(atOnce: 5_000, perHour: 10_000)
    /// The limit on new accounts from one IP address.
    package var newAccounts = AttemptLimit.rate(atOnce: 30, perHour: 20)
    /// Wrong secrets of clients of OpenID Connect from one address.
    package var secrets = AttemptLimit.rate(atOnce: 50, perHour: 120)
    /// Codes for clients of OpenID Connect for one account.
    package var codes = AttemptLimit.rate(atOnce: 100, perHour: 600)
    /// Devices that ask for a code from one address.
    package var devices = AttemptLimit.rate(atOnce: 30, perHour: 120)
    /// Devices of one client that ask for a code.
    package var devicesOfClient = AttemptLimit.rate(atOnce: 1_000, perHour: 6_000)
    /// Wrong codes of devices that one account types.
    ///
    /// At 2,000 an hour from all people together and 10,000 devices that wait, a guess is right once in 1,200 hours.
    package var userCodes = AttemptLimit.rate(atOnce: 10, perHour: 10)
    /// Wrong codes of devices from one address.
    package var userCodesOfAddress = AttemptLimit.rate(atOnce: 30, perHour: 30)
    /// Wrong codes of devices from all people together.
    package var allUserCodes = AttemptLimit.rate(atOnce: 1_000, perHour: 2_000)
    /// Wrong codes after the first factor, for one account or for one browser that signed in to it before.
    package var wrongCodes = AttemptLimit.backoff(free: 10)
    /// Codes in messages, for one account.
    package var sentCodes = AttemptLimit.rate(atOnce: 6, perHour: 12)
    /// Codes in text messages, for one number.
    package var textsToNumber = AttemptLimit.rate(atOnce: 6, perHour: 6)
    /// Wrong proofs beside recovery links, for one account.
    package var recoveryProofs = AttemptLimit.backoff(free: 5)
    /// Mailed recovery links for one name.
    package var recoveriesOfName = AttemptLimit.perDay(3)
    /// Recoveries that an owner stopped: for a day after one, no link is mailed.
    package var stoppedRecoveries = AttemptLimit.perDay(1)
    /// Requests for mailed recovery links from one address.
    package var recoveriesFromAddress = AttemptLimit.rate(atOnce: 10, perHour: 20)
    /// Requests for mailed recovery links from all clients together.
    package var allRecoveries = AttemptLimit.rate(atOnce: 1_000, perHour: 2_000)
    /// Helpers that one account names.
    package var helpersNamed = AttemptLimit.perDay(10)
    /// Messages to people who are named as helpers, for one name.
    package var helpersWanted = AttemptLimit.perDay(5)
    /// Requests for help with the recovery of one account.
    package var helpRequests = AttemptLimit.perDay(5)
    /// Wrong codes that one helper types.
    package var helpCodes = AttemptLimit.backoff(free: 5)
    /// Messages to an e-mail address that nobody has confirmed, for one account and for one address.
    package var addressChecks = AttemptLimit.perDay(5)
    /// Messages about new devices, for one account.
    package var signInMail = AttemptLimit.perDay(20)
    /// Other messages about what happened, for one account.
    package var mail = AttemptLimit.perDay(50)
    /// The number of counts that stay in the store.
    ///
    /// If there are more, the smallest ones are deleted.
    package static let mostCounts = 100_000

    /// The limits of the service.
    package static let standard = Limits()

    package init() {}
}
