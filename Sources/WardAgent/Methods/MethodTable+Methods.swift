internal import WardAgentClient

// The table of methods, with the part of the agent that answers each.
extension MethodTable {
    mutating func add(_ vault: VaultMethods) {
        add { (_: Status, program) in await vault.status(program) }
        add { (method: CreateVault, program) in try await vault.create(method, program) }
        add { (method: Unlock, program) in try await vault.unlock(method, program) }
        add { (method: CheckPassphrase, _) in try await vault.check(method) }
        add { (method: ChangePassphrase, _) in try await vault.change(method) }
        add { (_: Lock, _) in await vault.lock() }
        add { (method: VerifyLog, program) in try await vault.verifyLog(method, program) }
    }

    mutating func add(_ recovery: RecoveryMethods) {
        add { (method: CheckRecoveryKey, _) in try await recovery.check(method) }
        add { (method: ReplaceRecoveryKey, program) in try await recovery.replace(method, program) }
        add { (method: Recover, _) in try await recovery.recover(method) }
    }

    mutating func add(_ verification: VerificationMethods) {
        add { (_: VerificationStatus, _) in await verification.status() }
        add { (method: SetPIN, program) in try await verification.setPIN(method, program) }
        add { (method: SwitchFingerprint, program) in try await verification.switchFingerprint(method, program) }
    }

    mutating func add(_ quickUnlock: QuickUnlockMethods) {
        add { (_: QuickUnlockStatus, _) in await quickUnlock.status() }
        add { (method: SwitchQuickUnlock, program) in try await quickUnlock.switched(method, program) }
    }

    mutating func add(_ backup: BackupMethods) {
        add { (method: BackUpVault, program) in try await backup.backUp(method, program) }
        add { (method: ConfirmBackupKey, program) in try await backup.confirm(method, program) }
        add { (method: RestoreVault, program) in try await backup.restore(method, program) }
    }

    mutating func add(_ salvage: SalvageMethods) {
        add { (method: SalvageVault, program) in try await salvage.salvage(method, program) }
    }

    mutating func add(_ sync: SyncMethods) {
        add { (method: BeginCircle, program) in try await sync.begin(method, program) }
        add { (method: SwitchSyncOn, program) in try await sync.on(method, program) }
        add { (method: SwitchSyncOff, program) in try await sync.off(method, program) }
        add { (method: RepairSync, program) in try await sync.repair(method, program) }
        add { (method: MoveSync, program) in try await sync.move(method, program) }
        add { (_: SyncStatus, _) in try await sync.status() }
        add { (method: SyncNow, program) in try await sync.now(method, program) }
        add { (method: CompareSync, program) in try await sync.compare(method, program) }
        add { (method: BeginServerSignIn, _) in try await sync.beginSignIn(method) }
        add { (method: ServerSignInStatus, _) in try await sync.signInStatus(method) }
    }

    mutating func add(_ devices: DeviceMethods) {
        add { (method: ListDevices, program) in try await devices.list(method, program) }
        add { (method: ListDeviceRequests, program) in try await devices.requests(method, program) }
        add { (method: AddDevice, program) in try await devices.add(method, program) }
        add { (method: RemoveDevices, program) in try await devices.remove(method, program) }
        add { (method: RekeyDevices, program) in try await devices.rekey(method, program) }
        add { (method: RenameDevice, program) in try await devices.rename(method, program) }
        add { (method: BeginMeeting, program) in try await devices.beginMeeting(method, program) }
        add { (_: MeetingStatus, _) in try await devices.meetingStatus() }
        add { (method: AcceptMeeting, program) in try await devices.acceptMeeting(method, program) }
        add { (_: EndMeeting, _) in await devices.endMeeting() }
    }

    mutating func add(_ newDevice: NewDeviceMethods) {
        add { (method: BeginJoin, _) in try await newDevice.begin(method) }
        add { (method: JoinStatus, _) in try await newDevice.status(method) }
        add { (method: FinishJoin, program) in try await newDevice.finish(method, program) }
        add { (method: AbandonJoin, _) in try await newDevice.abandon(method) }
        add { (method: JoinMeeting, _) in try await newDevice.meet(method) }
        add { (_: JoinMeetingStatus, _) in try await newDevice.meetingStatus() }
        add { (method: FinishMeeting, program) in try await newDevice.finishMeeting(method, program) }
        add { (_: LeaveMeeting, _) in await newDevice.leaveMeeting() }
    }

    mutating func add(_ items: ItemMethods) {
        add { (method: ListItems, program) in try await items.list(method, program) }
        add { (method: GetItem, program) in try await items.get(method, program) }
        add { (method: GetAttachment, program) in try await items.attachment(method, program) }
        add { (method: AddItem, program) in try await items.add(method, program) }
        add { (method: EditItem, program) in try await items.edit(method, program) }
        add { (method: CloneItem, program) in try await items.clone(method, program) }
        add { (method: RemoveItem, program) in try await items.remove(method, program) }
        add { (method: FindItem, program) in try await items.find(method, program) }
        add { (method: EmptyTrash, program) in try await items.emptyTrash(method, program) }
        add { (method: RestoreItem, program) in try await items.restore(method, program) }
        add { (method: ItemHistory, program) in try await items.history(method, program) }
        add { (method: ShowCode, program) in try await items.code(method, program) }
    }

    mutating func add(_ audit: AuditMethods) {
        add { (method: AuditVault, program) in try await audit.run(method, program) }
        add { (method: ListPasskeyDomains, program) in try await audit.domains(method, program) }
        add { (method: IgnoreFindings, program) in try await audit.ignore(method, program) }
    }

    mutating func add(_ appearances: AppearanceMethods) {
        add { (method: ListSitesWithoutAppearance, program) in try await appearances.list(method, program) }
        add { (method: KeepSiteAppearances, program) in try await appearances.keep(method, program) }
        add { (method: RemoveSiteAppearances, program) in try await appearances.clear(method, program) }
    }

    mutating func add(_ leaks: LeakMethods) {
        add { (method: ListLeakPrefixes, program) in try await leaks.prefixes(method, program) }
        add { (method: AddLeakRanges, program) in try await leaks.add(method, program) }
        add { (method: SearchLeakFile, program) in try await leaks.search(method, program) }
    }

    mutating func add(_ imports: ImportMethods) {
        add { (method: StageImport, program) in try imports.stage(method, program) }
        add { (method: PlanImport, program) in try await imports.plan(method, program) }
        add { (method: ApplyImport, program) in try await imports.apply(method, program) }
    }

    mutating func add(_ exports: ExportMethods) {
        add { (method: BeginExport, program) in try await exports.begin(method, program) }
        add { (_: FetchExport, program) in try await exports.next(program) }
    }

    mutating func add(_ joining: JoiningMethods) {
        add { (method: MergeItems, program) in try await joining.merge(method, program) }
        add { (method: SplitItem, program) in try await joining.split(method, program) }
        add { (method: UndoStep, program) in try await joining.undo(method, program) }
    }

    mutating func add(_ passkeys: PasskeyMethods) {
        add { (method: ListPasskeys, program) in try await passkeys.passkeys(method, program) }
        add { (method: RemovePasskey, program) in try await passkeys.removePasskey(method, program) }
    }

    mutating func add(_ pages: PageSignIn) {
        add { (method: CreatePasskey, program) in try await pages.createPasskey(method, program) }
        add { (method: UsePasskey, program) in try await pages.usePasskey(method, program) }
    }

    mutating func add(_ apps: AppRegistryMethods) {
        add { (_: ListApps, _) in await apps.listApps() }
        add { (method: CheckApp, _) in try await apps.check(method) }
        add { (method: AddApp, program) in try await apps.add(method, program) }
        add { (method: AddFlatpakApp, program) in try await apps.add(method, program) }
        add { (method: RemoveApp, program) in try await apps.remove(method, program) }
    }

    mutating func add(_ providers: Providers) {
        add { (_: ListProviders, _) in providers.list() }
        add { (method: EnableProvider, _) in try providers.enable(method) }
        add { (method: DisableProvider, _) in try await providers.disable(method) }
        add { (method: SwitchPasskeys, _) in try providers.switchPasskeys(method) }
    }

    mutating func add(_ desktop: DesktopMethods) {
        add { (_: DesktopStatus, _) in try await desktop.status() }
        add { (method: SwitchDesktop, _) in try await desktop.switched(method) }
    }

    mutating func add(_ enabling: EnablingMethods) {
        add { (method: EnableProviderForApp, app) in try await enabling.enable(method, app) }
    }

    mutating func add(_ saving: SavingMethods) {
        add { (method: SaveForApp, app) in try await saving.save(method, app) }
        add { (method: SignalFromApp, app) in try await saving.signal(method, app) }
    }

    mutating func add(_ signIn: AppSignIn) {
        add { (_: AppIdentity, app) in app.identity }
        add { (method: AuthorizeApp, app) in try await signIn.authorize(method, app) }
        add { (method: SuggestForApp, app) in try await signIn.suggest(method, app) }
        add { (method: UnlockForApp, app) in try await signIn.unlockForApp(method, app) }
    }

    mutating func add(_ browsers: BrowserMethods) {
        add { (_: BrowserState, browser) in await browsers.state(browser) }
        add { (_: PairBrowser, browser) in try await browsers.pair(browser) }
        add { (_: UnlockForBrowser, browser) in try await browsers.unlock(browser) }
        add { (_: LockForBrowser, browser) in try await browsers.lock(browser) }
        add { (method: CancelBrowserRequest, browser) in browsers.cancel(method, browser) }
        add { (method: GetBrowserSettings, browser) in try browsers.settings(method, browser) }
        add { (method: ChangeBrowserSettings, browser) in try browsers.change(method, browser) }
        add { (_: ListBrowsers, _) in try browsers.list() }
        add { (method: ForgetBrowser, program) in try browsers.forget(method, program) }
    }

    mutating func add(_ browser: BrowserSignIn) {
        add { (method: ListPagePasskeys, program) in try await browser.passkeys(method, program) }
        add { (method: UsePagePasskey, program) in try await browser.use(method, program) }
        add { (method: CreatePagePasskey, program) in try await browser.create(method, program) }
        add { (method: SignalFromPage, program) in try await browser.signal(method, program) }
        add { (method: ListPageEntries, program) in try await browser.entries(method, program) }
        add { (method: FillPage, program) in try await browser.fill(method, program) }
        add { (method: SearchForBrowser, program) in try await browser.search(method, program) }
        add { (method: RevealForBrowser, program) in try await browser.reveal(method, program) }
        add { (method: ChangeFilledPage, program) in try browser.changed(method, program) }
        add { (_: ListPageUpgrades, program) in try browser.upgrades(program) }
        add { (method: UndoPageUpgrade, program) in try await browser.undo(method, program) }
    }

    mutating func add(_ saving: BrowserSaving) {
        add { (method: SuggestForPage, program) in try await saving.suggest(method, program) }
        add { (method: CapturePassword, program) in try await saving.capture(method, program) }
        add { (method: CheckCapture, program) in try await saving.check(method, program) }
        add { (method: SaveCapture, program) in try await saving.save(method, program) }
        add { (method: DiscardCapture, program) in try saving.discard(method, program) }
    }
}
