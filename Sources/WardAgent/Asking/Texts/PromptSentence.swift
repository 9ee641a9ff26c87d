/// A sentence of a prompt.
///
/// Every ``PromptLanguage`` translates all of these sentences.
enum PromptSentence: Hashable, Sendable {
    // The vault's name, if the vault is not the default one
    case inVault(name: CleanText)

    // The passphrase
    case vaultIsLocked(PromptPurpose?)
    case typePassphrase(PromptPurpose)
    case saveDamagedVault
    case wrongPassphrase(attempt: Int, of: Int)
    case noPassphrase(attempt: Int, of: Int)
    case showItIsYou

    // An export: everything in the vault leaves it
    case leavesSealed(file: CleanText)
    case leavesPlain(file: CleanText)

    // The PIN and the fingerprint
    case typePINToUnlock(PromptPurpose?)
    case showItIsYouWithPIN
    /// What an empty PIN means.
    case emptyIsPassphrase
    case showItIsYouWithFinger
    case wrongPIN(left: Int)
    case wrongFinger(left: Int)
    case wrongTooOften
    case noFinger(FingerprintProblem)
    case pinNeedsPassphrase
    case pinIsOver
    case pinIsLockedOut
    case pinIsUnknown
    case pinOpensNothing
    case pinIsNotChecked

    // Passkeys. A site is `nil` if it is not known; an account is `nil` if it has no name.
    case useWard
    case makePasskey(account: CleanText?, site: CleanText?)
    case replacesPasskey(account: CleanText?)
    case alreadyHasPasskey(site: CleanText?)
    case signIn(site: CleanText?, account: CleanText?)
    case noPasskey(site: CleanText?)
    case pageAsks(host: CleanText)
    case insidePage(host: CleanText)
    case keptIn(provider: CleanText)
    case providerVerifies(provider: CleanText)
    case passkeyMade(site: CleanText, account: CleanText)
    case passkeyMadeTitle
    case signedIn(site: CleanText?, account: CleanText?)
    case signedInTitle

    // One of several
    case accountNumber(Int, of: Int)
    case lineNumber(Int, of: Int)
    case signInWithPasskey(site: CleanText, account: CleanText?, provider: CleanText)
    case signInWithPassword(site: CleanText, account: CleanText?, provider: CleanText)
    case fillInCode(site: CleanText, account: CleanText?, provider: CleanText)
    case lookIntoVault
    case lookIntoProvider(provider: CleanText)
    case chooseText(provider: CleanText)
    case signInElsewhere
    case makePasskeyIn(account: CleanText?, site: CleanText, provider: CleanText)

    // Passwords
    case makePassword(account: CleanText?, site: CleanText, provider: CleanText)
    case replacesPassword
    case keepPassword(account: CleanText?, site: CleanText)
    case keepPasswordIn(account: CleanText?, site: CleanText, provider: CleanText)
    case changePassword(account: CleanText?, site: CleanText, item: CleanText)

    // Another credential manager
    case enableProvider(provider: CleanText)
    case declaredIn(file: CleanText)
    case providerProgram(path: CleanText)

    // A browser
    case connectBrowser(browser: CleanText)
    case browserExtension(identifier: CleanText)
    case copyInBrowser(browser: CleanText, item: CleanText)

    // A new account
    case giveContact(site: CleanText, contact: CleanText)
    case giveTypedContact(site: CleanText)
    case typeEmail(site: CleanText)
    case typeTelephone(site: CleanText)
    case notEmail
    case notTelephone
    case tellName(site: CleanText, name: CleanText)
    case tellTypedName(site: CleanText)
    case tellNoName(site: CleanText)
    case typeName(site: CleanText)
    case notName

    // The devices of the vault. A name is `nil` if it is not known.
    case deviceAddedTitle
    case deviceAdded(name: CleanText?)
    case deviceRemovedTitle
    case deviceRemoved(name: CleanText?)
    case removedHereTitle
    case removedHere
    case circleFrozenTitle
    case circleFrozen
    case deviceCopiedTitle
    case deviceCopied
    case deviceBrokeRulesTitle
    case deviceBrokeRules(name: CleanText?)
    case removalVoidTitle
    case removalVoid
    case lateChangesTitle
    case lateChanges(name: CleanText?)
    // The folder.
    case notAdmittedTitle
    case notAdmitted
    // The sync server.
    case serverLostTitle
    case serverLost(count: Int)
    case serverTwoOrdersTitle
    case serverTwoOrders
    case serverAtFaultTitle
    case serverAtFault
    case notSyncedTitle
    case notSynced
    case entriesWithheldTitle
    case entriesWithheld
    case serverAlmostFullTitle
    case serverAlmostFull(percent: Int)
    case vaultMovedTitle
    case vaultMoved(host: CleanText)

    // Who asks
    case askedByProgram(path: CleanText, pid: Int32)
    case askedByFlatpak(name: CleanText)
    case askedByApp(name: CleanText, identifier: CleanText, path: CleanText)
    case nobodyVouches
    case program(path: CleanText)
    case isThisMachine(domain: CleanText)
}

/// A label of a button, or of a field.
enum PromptWord: CaseIterable, Hashable, Sendable {
    case agree, another, anotherAccount, cancel, connect, fillIn, goOn, keep, makePasskey, makePassword, ok, save,
        signIn,
        tellSite
    case thisOne, turnOn, undo, unlock, useWard
    /// For a narrow terminal: the labels to agree, to decline, and to see another line.
    case yes, no, next
    case typePassphrase, typePIN
    case email, name, passphrase, pin, telephone
}

/// The purpose for which the vault is unlocked.
enum PromptPurpose: Hashable, Sendable {
    case addItem, auditItems, backUpVault, changeItem, checkRecoveryKey, checkVault, copyItem, emptyTrash, fillIn
    case exportItems, findItem, importItems, keepPassword
    case listDevices, listItems, listPasskeys, makeRecoveryKey, nameDevice
    case readCode, readHistory, readItem, removeItem, removePasskey, removePIN
    case restoreBackup, restoreItem, setPIN, switchSyncOff, syncVault, switchFingerprintOff, switchFingerprintOn,
        switchQuickUnlockOn
    /// The account, the first sites, and the number of further sites.
    case makePasskey(account: CleanText?, sites: [CleanText], more: Int)
    /// The first sites, and the number of further sites.
    case signIn(sites: [CleanText], more: Int)
}

/// Why fingerprints cannot be used.
enum FingerprintProblem: CaseIterable, Hashable, Sendable {
    case broken, gone, inUse, noBus, noReader, notEnrolled, notInstalled, notPermitted
}
