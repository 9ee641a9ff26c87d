import ArgumentParser

/// Options of commands that send something over the network.
struct ConsentOptions: ParsableArguments {
    @Flag(help: "Agree to what is sent.")
    var yes = false
    @Flag(
        inversion: .prefixedNo,
        help: "Remember the answer, so that the question does not come again; or forget it and ask."
    )
    var remember: Bool?

    /// Whether an option is there.
    var isEmpty: Bool { !yes && remember == nil }

    /// What the options say.
    var consent: OnlineConsent {
        OnlineConsent(isGiven: yes, isRemembered: remember == true, isForgotten: remember == false)
    }
}
