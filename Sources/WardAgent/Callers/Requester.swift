internal import WardAgentClient
internal import WardClient

/// The requester of a request to the agent, with the properties that the agent has checked.
enum Requester: Sendable {
    /// An app. It may use the domains that list it.
    case app(AppProgram)
    /// A page. A program that may name an origin sends the request for it. The page may use the RP IDs that its origin permits.
    case page(PageProgram)
    /// A browser itself, not one of its pages.
    case browser(BrowserProgram)
    /// A person who uses one of the manager's own programs.
    case person(ManagerProgram)

    /// The app, if the requester is an app.
    var app: AppProgram? { if case .app(let app) = self { app } else { nil } }

    /// The process that sends the request of a page or a person.
    ///
    /// It is `nil` for an app, which has an identity instead.
    var peer: Peer? {
        switch self {
        case .app: nil
        case .page(let page): page.peer
        case .browser(let browser): browser.peer
        case .person(let program): program.peer
        }
    }

    /// Who receives an entry; `nil` for a person, and for a page without a browser.
    var recipient: Recipient? {
        switch self {
        case .app(let app): .app(app.identity)
        case .page(let page): page.shown.map { .page($0.place) }
        case .browser, .person: nil
        }
    }

    /// The terminal and desktop for prompts.
    ///
    /// It is `nil` for an app and for a browser, because they cannot choose them.
    var place: PromptPlace? {
        switch self {
        case .app, .browser: nil
        case .page(let page): page.place
        case .person(let program): program.place
        }
    }

    /// The window that prompts belong to, if it is on the display where they appear.
    var window: ParentWindow? {
        switch self {
        case .app(let app): app.window
        case .page(let page): page.window
        case .browser, .person: nil
        }
    }
}

/// An app that sends a request.
///
/// The agent creates this value from the kernel's data about the process, once for each request.
struct AppProgram: Sendable {
    /// Who it is.
    let identity: AppIdentity.Result
    /// The process that connected.
    let pid: Int32
    /// Its own window, for prompts.
    var window: ParentWindow?
}

/// A page that asks for a passkey, and the program that reports its origin.
struct PageProgram: Sendable {
    /// The origin of the page, and the origin of the page around it.
    let caller: Caller
    /// The process that reports the origin.
    ///
    /// The agent has checked that this program may name origins.
    let peer: Peer
    /// The person's terminal and desktop, for prompts.
    let place: PromptPlace
    /// The program's own window, for prompts.
    var window: ParentWindow?
    /// What a portal of the desktop says, if one reports the origin.
    var portal: Portal?
    /// The browser that shows the page, and the page's place in it, if `ward-browser` reports the origin.
    var shown: Shown?

    /// What a portal of the desktop says about a page.
    struct Portal: Sendable {
        /// The identifier of the app that shows the page.
        let app: String?
        /// The origin of the page.
        let origin: String
    }

    /// A browser, and the place of a page in it.
    struct Shown: Sendable {
        let browser: BrowserProgram
        let place: BrowserPlace
        /// The origin of the page.
        let origin: String
    }
}

/// One of the credential manager's own programs.
///
/// The agent creates this value only for a program that passed ``AppPolicy/isManager``.
struct ManagerProgram: Sendable {
    /// The process that connected.
    let peer: Peer
    /// The person's terminal and desktop.
    ///
    /// The program reported them, and the agent checked them.
    let place: PromptPlace
    /// The items that the connection handed over for an import.
    let imports: ImportStage
    /// The items that the connection may take out of the vault.
    let exports: ExportStage
}
