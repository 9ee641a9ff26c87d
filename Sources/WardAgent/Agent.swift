internal import Foundation
public import Logging
internal import WardAgentClient
internal import WardFolders
internal import WardSync
public import WardVault
public import WardWebAuthn

/// The credential manager's agent, with all its parts.
///
/// Each part gets only what it needs. Only ``AgentServer`` gets the agent itself, and takes from it the parts that it serves.
public struct Agent: Sendable {
    /// The settings of an agent.
    public struct Configuration: Sendable {
        /// The folders and files of the vault.
        public var location: VaultLocation
        /// Seconds without use after which the vault locks; 0 for never.
        public var idleLock: Int = 15 * 60
        /// Seconds after which an open vault locks although it is in use; 0 for never.
        public var openLimit: Int = 8 * 60 * 60
        /// The agent's version, which `status` reports.
        public var version = "0.1.0"
        /// The time limit for the first request of a connection.
        public var helloPatience = Duration.seconds(10)
        /// Time and randomness.
        public var effects = Effects.live
        /// The clock that measures how much time passed between two events.
        ///
        /// It never jumps, and it also counts the time while the machine sleeps.
        public var clock: @Sendable () -> ContinuousClock.Instant = { .now }
        /// The agent's environment.
        ///
        /// Prompts use the variables that identify the person's session.
        public var environment = ProcessInfo.processInfo.environment
        /// The rules that identify apps and the manager's own programs.
        public var apps = AppPolicy.standard()
        /// The folders with the declarations of other credential managers.
        public var providers: ProviderPaths
        /// The time limit for another credential manager to list its entries.
        public var providerListing = Duration.seconds(5)
        /// How long a prompt waits for other credential managers before it appears.
        ///
        /// Entries that arrive later are added to it.
        public var providerJoining = Duration.milliseconds(300)
        /// Waits for a time.
        ///
        /// It returns earlier if its task is cancelled.
        public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// The time limit for another credential manager to return a credential.
        ///
        /// In this time it may ask its person.
        public var providerUse = Duration.seconds(120)
        /// How often it is looked whether a sync is due; `nil` for only when somebody asks.
        var syncStep: Duration? = .seconds(1)
        /// The times between syncs.
        var syncTimes = SyncSchedule.Times()
        /// The same with a server.
        var serverSyncTimes = SyncSchedule.Times.server
        /// What syncs an open vault with a server.
        var serverSync: @Sendable (Vault, ServerAddress, ServerBeginning, @escaping SyncProgress.Report) -> SyncRun = {
            .server($0, $1, $2, progress: $3)
        }
        /// What syncs an open vault with the folder at a path.
        var folderSync: @Sendable (Vault, String, @escaping SyncProgress.Report) -> Syncer.Run = {
            vault,
            folder,
            progress in
            let remote = FolderRemote(folder: folder, vault: vault.id)
            let sync = FolderSync(vault, with: remote, progress: progress)
            return { try await sync.run() }
        }
        /// What reads fingers.
        var fingerprints: any FingerprintReader = Fprintd()

        /// Starts from a place.
        public init(location: VaultLocation) {
            self.location = location
            providers = ProviderPaths(location: location)
        }
    }

    let configuration: Configuration
    let session: VaultSession
    let syncer: Syncer
    let methods: MethodTable
    let person: PersonSession
    let desktop: DesktopPortal
    /// The agent's process.
    let processID = getpid()
    let stopping = StopSignal()

    /// Creates an agent.
    ///
    /// The vault is opened at the first request that needs it.
    ///
    /// - Parameters:
    ///   - configuration: How it behaves.
    ///   - prompting: Who asks the person.
    ///   - notifier: Who tells the person what happened without being asked.
    ///   - logger: Where to write; never a secret.
    public init(
        _ configuration: Configuration,
        prompting: any Prompting = Pinentry(),
        notifier: any Notifying = DesktopNotification(),
        logger: Logger
    ) {
        self.configuration = configuration
        person = PersonSession(environment: configuration.environment)
        let idleLock = IdleLock(
            idle: configuration.idleLock,
            longest: configuration.openLimit,
            now: configuration.clock
        )
        let quick = QuickVerification(
            reader: configuration.fingerprints,
            now: configuration.clock,
            used: { idleLock.used() }
        )
        let quickUnlock = QuickUnlock(
            location: configuration.location,
            tpm: configuration.environment["WARD_TPM"] ?? TPM.standard,
            effects: configuration.effects
        )
        let asking = Asking(
            prompting: CountedPrompting(base: prompting, idleLock: idleLock),
            notifier: notifier,
            person: person,
            vault: configuration.location.name.isStandard
                ? nil : CleanText.label(configuration.location.name.description),
            attempts: AttemptLimiter(
                path: configuration.location.stateDirectory + "/attempts",
                effects: configuration.effects,
                whenRight: {
                    quick.passphraseWasRight()
                    quickUnlock.passphraseWasRight()
                }
            ),
            declines: Declines(now: configuration.clock),
            logger: logger
        )
        session = VaultSession(
            location: configuration.location,
            siteData: SiteData.folder(in: BaseFolders(environment: configuration.environment)),
            effects: configuration.effects,
            clock: configuration.clock,
            asking: asking,
            idleLock: idleLock,
            quick: quick,
            quickUnlock: quickUnlock,
            logger: logger
        )
        syncer = Syncer(
            session: session,
            times: configuration.syncTimes,
            serverTimes: configuration.serverSyncTimes,
            makeRun: { vault, place, beginning, progress in
                switch place {
                case .folder(let path): SyncRun(sync: configuration.folderSync(vault, path, progress))
                case .server(let address): configuration.serverSync(vault, address, beginning, progress)
                }
            },
            clock: configuration.clock,
            logger: logger
        )
        let providers = Providers(
            paths: configuration.providers,
            connections: ProviderConnections(
                listing: configuration.providerListing,
                use: configuration.providerUse,
                joining: { try await configuration.sleep(configuration.providerJoining) },
                sleep: configuration.sleep,
                keys: ProviderKeys(path: configuration.providers.publicKeys),
                proofs: ProviderProofs(folder: configuration.providers.proofs, effects: configuration.effects),
                starts: ProviderStarts(now: configuration.clock, sleep: configuration.sleep),
                index: ProviderIndex(now: configuration.clock),
                logger: logger
            ),
            logger: logger
        )
        let signIn = SignInParts(
            session: session,
            providers: providers,
            memory: SignInMemory(now: configuration.clock),
            handedOut: RecentReleases(now: configuration.clock),
            signedIn: RecentReleases(now: configuration.clock)
        )
        let (pages, apps) = (PageSignIn(parts: signIn), AppSignIn(parts: signIn, policy: configuration.apps))
        desktop = DesktopPortal(
            settings: DesktopSettings(configuration.providers, logger: logger),
            environment: configuration.environment,
            door: DesktopDoor(pages: pages, apps: apps, policy: configuration.apps, logger: logger),
            logger: logger
        )
        var methods = MethodTable()
        let vault = VaultMethods(
            session: session,
            syncer: syncer,
            providers: providers,
            desktop: desktop,
            version: configuration.version,
            processID: processID,
            logger: logger
        )
        methods.add(vault)
        methods.add(RecoveryMethods(session: session, syncer: syncer))
        methods.add(VerificationMethods(session: session))
        methods.add(QuickUnlockMethods(session: session))
        methods.add(BackupMethods(session: session, logger: logger))
        methods.add(SalvageMethods(session: session))
        methods.add(SyncMethods(session: session, syncer: syncer, logger: logger))
        let meetings = Meetings(now: configuration.clock)
        methods.add(DeviceMethods(session: session, syncer: syncer, meetings: meetings, logger: logger))
        methods.add(NewDeviceMethods(session: session, syncer: syncer, meetings: meetings, logger: logger))
        methods.add(LeakMethods(session: session))
        let siteData = session.siteData
        methods.add(ItemMethods(session: session, siteData: siteData))
        methods.add(AuditMethods(session: session, siteData: siteData))
        methods.add(AppearanceMethods(session: session))
        methods.add(JoiningMethods(session: session))
        methods.add(ImportMethods(session: session, siteData: siteData, clock: configuration.clock))
        methods.add(ExportMethods(session: session, logger: logger, clock: configuration.clock))
        methods.add(PasskeyMethods(session: session))
        let pairings = configuration.apps.browsers
        let sites = BrowserSites(beside: pairings)
        methods.add(pages)
        methods.add(
            BrowserMethods(
                session: session,
                providers: providers,
                pairings: pairings,
                sites: sites,
                version: configuration.version,
                logger: logger
            )
        )
        let memory = BrowserMemory(now: configuration.clock, sleep: configuration.sleep)
        methods.add(
            BrowserSignIn(pages: pages, pairings: pairings, memory: memory, sites: sites, logger: logger)
        )
        methods.add(
            BrowserSaving(parts: signIn, pairings: pairings, memory: memory, sites: sites, logger: logger)
        )
        methods.add(AppRegistryMethods(policy: configuration.apps, logger: logger))
        methods.add(providers)
        methods.add(EnablingMethods(providers: providers, asking: asking, logger: logger))
        methods.add(
            SavingMethods(session: session, policy: configuration.apps, providers: providers, logger: logger)
        )
        methods.add(apps)
        methods.add(DesktopMethods(portal: desktop, isStandard: configuration.location.name.isStandard))
        methods.add { [stopping] (_: StopAgent, _) in
            stopping.signal()
            return Done()
        }
        self.methods = methods
    }
}
