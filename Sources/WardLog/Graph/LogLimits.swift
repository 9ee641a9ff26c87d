/// How much of one device a log takes.
package enum LogLimits {
    /// The chains of one device, if no entry of another device names them: more than one only if it signed two entries with one number.
    ///
    /// Two prove what the device did. Each costs memory with every entry, so a device cannot have any number.
    package static let chains = 8
    /// The entries of other devices that one entry names, if it does nothing else.
    ///
    /// An entry may name 64. It then has as many beside it in the circle, with its own.
    package static let names = 32
}
