internal import WardAgentClient

/// A method that apps may call.
///
/// The compiler ensures that each method gets only programs of its audience: the code that answers a method takes a program of
/// this type, and no other type can be passed. A method without an audience cannot be added to the ``MethodTable``.
protocol AppMethod: AgentMethod {}

/// A method that only the credential manager's own programs may call.
protocol ManagerMethod: AgentMethod {}

/// A method that only `ward-browser` may call, for a browser.
protocol BrowserMethod: AgentMethod {}

// MARK: Apps

extension AppIdentity: AppMethod {}
extension AuthorizeApp: AppMethod {}
extension EnableProviderForApp: AppMethod {}
extension SaveForApp: AppMethod {}
extension SignalFromApp: AppMethod {}
extension SuggestForApp: AppMethod {}
extension UnlockForApp: AppMethod {}

// MARK: Browsers

extension BrowserState: BrowserMethod {}
extension CancelBrowserRequest: BrowserMethod {}
extension CapturePassword: BrowserMethod {}
extension ChangeBrowserSettings: BrowserMethod {}
extension ChangeFilledPage: BrowserMethod {}
extension CheckCapture: BrowserMethod {}
extension CreatePagePasskey: BrowserMethod {}
extension DiscardCapture: BrowserMethod {}
extension FillPage: BrowserMethod {}
extension GetBrowserSettings: BrowserMethod {}
extension ListPageEntries: BrowserMethod {}
extension ListPagePasskeys: BrowserMethod {}
extension ListPageUpgrades: BrowserMethod {}
extension LockForBrowser: BrowserMethod {}
extension PairBrowser: BrowserMethod {}
extension RevealForBrowser: BrowserMethod {}
extension SaveCapture: BrowserMethod {}
extension SearchForBrowser: BrowserMethod {}
extension SignalFromPage: BrowserMethod {}
extension SuggestForPage: BrowserMethod {}
extension UndoPageUpgrade: BrowserMethod {}
extension UnlockForBrowser: BrowserMethod {}
extension UsePagePasskey: BrowserMethod {}

// MARK: The manager's own programs

extension AbandonJoin: ManagerMethod {}
extension AcceptMeeting: ManagerMethod {}
extension AddApp: ManagerMethod {}
extension AddDevice: ManagerMethod {}
extension AddFlatpakApp: ManagerMethod {}
extension AddItem: ManagerMethod {}
extension AddLeakRanges: ManagerMethod {}
extension ApplyImport: ManagerMethod {}
extension AuditVault: ManagerMethod {}
extension BackUpVault: ManagerMethod {}
extension BeginExport: ManagerMethod {}
extension BeginJoin: ManagerMethod {}
extension BeginMeeting: ManagerMethod {}
extension BeginServerSignIn: ManagerMethod {}
extension ChangePassphrase: ManagerMethod {}
extension CheckApp: ManagerMethod {}
extension CheckPassphrase: ManagerMethod {}
extension CheckRecoveryKey: ManagerMethod {}
extension CloneItem: ManagerMethod {}
extension ConfirmBackupKey: ManagerMethod {}
extension CreatePasskey: ManagerMethod {}
extension CreateVault: ManagerMethod {}
extension CompareSync: ManagerMethod {}
extension DesktopStatus: ManagerMethod {}
extension DisableProvider: ManagerMethod {}
extension EditItem: ManagerMethod {}
extension EmptyTrash: ManagerMethod {}
extension EnableProvider: ManagerMethod {}
extension EndMeeting: ManagerMethod {}
extension FetchExport: ManagerMethod {}
extension FindItem: ManagerMethod {}
extension FinishJoin: ManagerMethod {}
extension FinishMeeting: ManagerMethod {}
extension ForgetBrowser: ManagerMethod {}
extension GetAttachment: ManagerMethod {}
extension GetItem: ManagerMethod {}
extension IgnoreFindings: ManagerMethod {}
extension ItemHistory: ManagerMethod {}
extension JoinMeeting: ManagerMethod {}
extension JoinMeetingStatus: ManagerMethod {}
extension JoinStatus: ManagerMethod {}
extension LeaveMeeting: ManagerMethod {}
extension ListApps: ManagerMethod {}
extension ListBrowsers: ManagerMethod {}
extension ListDeviceRequests: ManagerMethod {}
extension ListDevices: ManagerMethod {}
extension KeepSiteAppearances: ManagerMethod {}
extension ListItems: ManagerMethod {}
extension ListLeakPrefixes: ManagerMethod {}
extension ListPasskeyDomains: ManagerMethod {}
extension ListPasskeys: ManagerMethod {}
extension ListProviders: ManagerMethod {}
extension ListSitesWithoutAppearance: ManagerMethod {}
extension Lock: ManagerMethod {}
extension MeetingStatus: ManagerMethod {}
extension MoveSync: ManagerMethod {}
extension MergeItems: ManagerMethod {}
extension PlanImport: ManagerMethod {}
extension QuickUnlockStatus: ManagerMethod {}
extension Recover: ManagerMethod {}
extension RekeyDevices: ManagerMethod {}
extension RemoveApp: ManagerMethod {}
extension RemoveDevices: ManagerMethod {}
extension RemoveItem: ManagerMethod {}
extension RemovePasskey: ManagerMethod {}
extension RemoveSiteAppearances: ManagerMethod {}
extension RenameDevice: ManagerMethod {}
extension ReplaceRecoveryKey: ManagerMethod {}
extension RestoreItem: ManagerMethod {}
extension RestoreVault: ManagerMethod {}
extension SalvageVault: ManagerMethod {}
extension SearchLeakFile: ManagerMethod {}
extension SetPIN: ManagerMethod {}
extension ShowCode: ManagerMethod {}
extension StageImport: ManagerMethod {}
extension SplitItem: ManagerMethod {}
extension Status: ManagerMethod {}
extension StopAgent: ManagerMethod {}
extension SwitchDesktop: ManagerMethod {}
extension SwitchFingerprint: ManagerMethod {}
extension SwitchPasskeys: ManagerMethod {}
extension SwitchQuickUnlock: ManagerMethod {}
extension SwitchSyncOff: ManagerMethod {}
extension RepairSync: ManagerMethod {}
extension ServerSignInStatus: ManagerMethod {}
extension BeginCircle: ManagerMethod {}
extension SwitchSyncOn: ManagerMethod {}
extension SyncNow: ManagerMethod {}
extension SyncStatus: ManagerMethod {}
extension UndoStep: ManagerMethod {}
extension Unlock: ManagerMethod {}
extension UsePasskey: ManagerMethod {}
extension VerificationStatus: ManagerMethod {}
extension VerifyLog: ManagerMethod {}
