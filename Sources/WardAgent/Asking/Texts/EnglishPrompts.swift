/// Prompts in English.
enum EnglishPrompts: PromptLanguage {
    static let separator = " "

    static func text(_ sentence: PromptSentence) -> String {
        switch sentence {
        case .inVault(let name): "Vault: \(name)"
        case .vaultIsLocked(nil): "Your vault is locked. Unlock it?"
        case .vaultIsLocked(let purpose?): "Your vault is locked. Unlock it to \(text(purpose))?"
        case .typePassphrase(let purpose): "Type your passphrase to \(text(purpose))."
        case .saveDamagedVault: "Save what can be read of your vault?"
        case .wrongPassphrase(let attempt, let all): "Wrong passphrase (\(attempt) of \(all) tries)."
        case .noPassphrase(let attempt, let all): "No passphrase was typed (\(attempt) of \(all) tries)."
        case .showItIsYou: "Type your passphrase to show that it is you."

        case .leavesSealed(let file):
            "All passwords, passkeys, codes and files of the vault leave it, in an encrypted file: \(file)."
        case .leavesPlain(let file):
            "Warning: all passwords, passkeys, codes and files of the vault leave it, in a file that every program can read: \(file)."

        case .typePINToUnlock(nil): "Your vault is locked. Type your PIN to unlock it."
        case .typePINToUnlock(let purpose?): "Your vault is locked. Type your PIN to \(text(purpose))."
        case .showItIsYouWithPIN: "Type your PIN to show that it is you."
        case .emptyIsPassphrase: "Leave it empty to type your passphrase instead."
        case .showItIsYouWithFinger: "Touch the fingerprint reader to show that it is you."
        case .wrongPIN(let left): "Wrong PIN: \(tries(left)) left."
        case .wrongFinger(let left): "This finger is not known, or was not read well: \(tries(left)) left."
        case .wrongTooOften: "That was wrong too often. Type your passphrase."
        case .noFinger(let problem): "No fingerprint: \(text(problem))."
        case .pinNeedsPassphrase: "The PIN works again after you type your passphrase."
        case .pinIsOver: "The machine was restarted, or 14 days have passed. Type your passphrase."
        case .pinIsLockedOut: "The TPM got too many wrong PINs. Type your passphrase."
        case .pinIsUnknown: "This machine's TPM does not know the PIN. Type your passphrase."
        case .pinOpensNothing: "The PIN no longer opens the vault. Type your passphrase."
        case .pinIsNotChecked: "The TPM cannot check the PIN now. Type your passphrase."

        case .useWard: "Use Ward for this?"
        case .makePasskey(let account, let site): "Make a passkey for \(name(account)) at \(place(site))?"
        case .replacesPasskey(let account): "It replaces the passkey of \(name(account))."
        case .alreadyHasPasskey(let site): "You already have a passkey for \(place(site)) here. Tell the site?"
        case .signIn(let site, let account): "Sign in to \(place(site)) as \(name(account))?"
        case .noPasskey(let site): "\(place(site)) asks for a passkey, but you have none for it here."
        case .pageAsks(let host): "The page that asks is \(host)."
        case .insidePage(let host): "Warning: this page is shown inside a page of \(host)."
        case .keptIn(let provider): "The passkey is kept in \(provider)."
        case .providerVerifies(let provider): "\(provider) itself asks you to show that it is you."
        case .passkeyMade(let site, let account):
            "You sign in to \(site) as \(account) with it from now on. Your password stays."
        case .passkeyMadeTitle: "A passkey was made"
        case .signedIn(let site, let account): "To \(place(site)) as \(name(account))."
        case .signedInTitle: "Signed in"

        case .accountNumber(let number, let all): "(account \(number) of \(all))"
        case .lineNumber(let number, let all): "(\(number) of \(all))"
        case .signInWithPasskey(let site, let account, let provider):
            "Sign in to \(site) as \(name(account)), with the passkey in \(provider)?"
        case .signInWithPassword(let site, let account, let provider):
            "Sign in to \(site) as \(name(account)), with the password in \(provider)?"
        case .fillInCode(let site, let account, let provider):
            "Fill in the code for \(name(account)) at \(site), from \(provider)?"
        case .lookIntoVault: "Your vault is locked. Look into it?"
        case .lookIntoProvider(let provider): "\(provider) is locked, and asks you itself. Look into it?"
        case .chooseText(let provider): "Choose a text in \(provider) and fill it in?"
        case .signInElsewhere: "Sign in with an account of another service, in the browser?"
        case .makePasskeyIn(let account, let site, let provider):
            "Make a passkey for \(name(account)) at \(site), kept in \(provider)?"

        case .makePassword(let account, let site, let provider):
            "Make a strong password\(account.map { " for \($0)" } ?? "") at \(site), kept in \(provider)?"
        case .replacesPassword: "It replaces the one you have, which stays in the history."
        case .keepPassword(let account, let site): "Keep \(password(account)) for \(site)?"
        case .keepPasswordIn(let account, let site, let provider):
            "Keep \(password(account)) for \(site), in \(provider)?"
        case .changePassword(let account, let site, let item):
            "Change \(password(account)) for \(site)? The one you have stays in the history of \(item)."

        case .enableProvider(let provider): "Turn on \(provider) for signing in to apps?"
        case .declaredIn(let file): "Its declaration is \(file)."
        case .providerProgram(let path): "It is the program \(path)."

        case .copyInBrowser(let browser, let item):
            "Copy the password or code of \(item) in \(browser)?"
        case .connectBrowser(let browser):
            "Connect \(browser) to Ward? It may then fill in your passwords, and use and make passkeys, for the pages that it shows."
        case .browserExtension(let identifier): "Its extension is \(identifier)."

        case .giveContact(let site, let contact): "Give \(site) \(contact)?"
        case .giveTypedContact(let site): "Type something else for \(site)?"
        case .typeEmail(let site):
            "\(site) makes a new account. Type the e-mail address for it.\nYou see it again before the account is made."
        case .typeTelephone(let site):
            "\(site) makes a new account. Type the telephone number for it.\nYou see it again before the account is made."
        case .notEmail: "This is not an e-mail address."
        case .notTelephone: "This is not a telephone number."
        case .tellName(let site, let name): "Tell \(site) that you are \(name)?"
        case .tellTypedName(let site): "Type a name for \(site)?"
        case .tellNoName(let site): "Sign up at \(site) without a name?"
        case .typeName(let site): "Type your name for \(site)."
        case .notName: "A name has 1 to 256 bytes, and no control characters."

        case .deviceAddedTitle: "A device was added"
        case .deviceAdded(let name):
            "\(device(name)) can now read and change your vault. If you did not add it, remove it: ward devices"
        case .deviceRemovedTitle: "A device was removed"
        case .deviceRemoved(let name):
            "\(device(name)) gets no more changes of your vault. If you did not remove it, check your devices: ward devices"
        case .removedHereTitle: "This device was removed"
        case .removedHere: "It shows what it has, and can no longer change your vault. See: ward sync status"
        case .circleFrozenTitle: "Two devices removed each other"
        case .circleFrozen: "Nothing is sent to other devices until you decide which one stays. See: ward sync status"
        case .deviceCopiedTitle: "This device's vault is a copy"
        case .deviceCopied:
            "It was restored from an old copy, or the disk was copied. Nothing is synced any more. See: ward sync status"
        case .deviceBrokeRulesTitle: "A device broke a rule"
        case .deviceBrokeRules(let name):
            "\(device(name)) wrote what no device of yours should write. What it wrote from then on does not count. See: ward sync status"
        case .removalVoidTitle: "A removal of a device does not count"
        case .removalVoid: "The device that made the removal was removed itself. Check your devices: ward devices"
        case .lateChangesTitle: "Changes of a removed device do not count"
        case .lateChanges(let name):
            "\(device(name)) made changes that its removal did not know. They are not shown. To save them, run there: ward salvage. See: ward devices"
        case .notAdmittedTitle: "Somebody outside your circle writes into the folder"
        case .notAdmitted: "Nothing of it was taken, and nothing on this device is lost. See: ward sync status"
        case .serverLostTitle: "The sync server had lost changes"
        case .serverLost(let count): "This device brought them back: \(count) in all. Nothing is missing."
        case .serverTwoOrdersTitle: "The sync server contradicts itself"
        case .serverTwoOrders:
            "It showed your devices the changes in two different orders, and may hide changes from some of them. See: ward sync status"
        case .serverAtFaultTitle: "The sync server hides or changes data"
        case .serverAtFault: "Ward took nothing that is wrong. Nothing on this device is lost. See: ward sync status"
        case .notSyncedTitle: "Sync does not work"
        case .notSynced: "For more than a day, changes have stayed on the device that made them. See: ward sync status"
        case .entriesWithheldTitle: "Changes of another device are missing"
        case .entriesWithheld:
            "For more than an hour, they have not come, or not as they were made. Nothing on this device is lost. See: ward sync status"
        case .serverAlmostFullTitle: "Little room is left on the sync server"
        case .serverAlmostFull(let percent):
            "Your vault uses \(percent)% of its room there. When the room is used up, new changes stay on the device that made them. See: ward sync status"
        case .vaultMovedTitle: "Your vault moved to another sync server"
        case .vaultMoved(let host):
            "This device syncs with \(host) now. If you did not move the vault, change the passphrase: ward passphrase"

        case .askedByProgram(let path, let pid): "Asked by \(path) (\(pid))."
        case .askedByFlatpak(let name): "Asked by \(name), a Flatpak app."
        case .askedByApp(let name, let identifier, let path): "Asked by \(name) (\(identifier)), program \(path)."
        case .nobodyVouches: "Nobody vouches for the program that asks."
        case .program(let path): "Program \(path)"
        case .isThisMachine(let domain):
            "\(domain) is this machine itself, for development: every program may speak for it."
        }
    }

    private static func device(_ name: CleanText?) -> String { name.map { "“\($0)”" } ?? "A device" }
    private static func name(_ account: CleanText?) -> String { account?.description ?? "your account" }
    private static func tries(_ left: Int) -> String { left == 1 ? "1 try is" : "\(left) tries are" }
    private static func place(_ site: CleanText?) -> String { site?.description ?? "a site" }
    private static func password(_ account: CleanText?) -> String {
        account.map { "the password of \($0)" } ?? "a password"
    }

    static func text(_ word: PromptWord) -> String {
        switch word {
        case .agree: "Agree"
        case .another: "Another"
        case .anotherAccount: "Another account"
        case .cancel: "Cancel"
        case .connect: "Connect"
        case .fillIn: "Fill in"
        case .goOn: "Go on"
        case .keep: "Keep"
        case .makePasskey: "Make passkey"
        case .makePassword: "Make password"
        case .ok: "OK"
        case .save: "Save"
        case .signIn: "Sign in"
        case .tellSite: "Tell the site"
        case .thisOne: "This one"
        case .turnOn: "Turn on"
        case .typePassphrase: "Type the passphrase"
        case .typePIN: "Type the PIN"
        case .undo: "Undo"
        case .unlock: "Unlock"
        case .useWard: "Use Ward"
        case .yes: "Yes"
        case .no: "No"
        case .next: "Next"
        case .email: "E-mail"
        case .name: "Name"
        case .passphrase: "Passphrase"
        case .pin: "PIN"
        case .telephone: "Telephone"
        }
    }

    static func text(_ purpose: PromptPurpose) -> String {
        switch purpose {
        case .addItem: "add an item"
        case .backUpVault: "back up your vault"
        case .changeItem: "change one of your items"
        case .checkRecoveryKey: "check your recovery key"
        case .checkVault: "check your vault"
        case .copyItem: "copy one of your items"
        case .emptyTrash: "empty the trash"
        case .fillIn: "fill in something of yours"
        case .findItem: "find one of your items"
        case .exportItems: "export all your items"
        case .importItems: "import items"
        case .keepPassword: "keep a password"
        case .auditItems: "check the security of your items"
        case .listDevices: "list the devices of your vault"
        case .listItems: "list your items"
        case .listPasskeys: "list your passkeys"
        case .makePasskey(let account, let sites, let more):
            "make a passkey for \(name(account)) at \(places(sites, more))"
        case .makeRecoveryKey: "make a new recovery key"
        case .nameDevice: "name this device"
        case .readCode: "read a verification code"
        case .readHistory: "read the history of an item"
        case .readItem: "read one of your items"
        case .removeItem: "remove one of your items"
        case .removePasskey: "remove a passkey"
        case .removePIN: "remove the PIN"
        case .restoreBackup: "restore a backup"
        case .restoreItem: "restore one of your items"
        case .setPIN: "set a PIN"
        case .switchFingerprintOff: "switch fingerprints off"
        case .switchFingerprintOn: "let a fingerprint show that it is you"
        case .switchSyncOff: "switch sync off"
        case .switchQuickUnlockOn: "let a PIN open your vault"
        case .syncVault: "sync your vault"
        case .signIn(let sites, let more): "sign in to \(places(sites, more))"
        }
    }

    private static func places(_ sites: [CleanText], _ more: Int) -> String {
        sites.map(\.description).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    static func text(_ problem: FingerprintProblem) -> String {
        switch problem {
        case .broken: "the fingerprint reader does not work"
        case .gone: "the fingerprint reader is gone"
        case .inUse: "another program uses the fingerprint reader"
        case .noBus: "there is no system bus"
        case .noReader: "there is no fingerprint reader"
        case .notEnrolled: "no finger of yours is known here: fprintd-enroll adds one"
        case .notInstalled: "fprintd is not installed"
        case .notPermitted: "this session may not use the fingerprint reader"
        }
    }
}
