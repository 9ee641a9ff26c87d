import ArgumentParser

/// A check of `ward audit` that uses the network.
enum OnlineCheck: String, CaseIterable, ExpressibleByArgument {
    /// Passwords from data breaches.
    case leaks
    /// Sites that offer passkeys.
    case passkeys
}
