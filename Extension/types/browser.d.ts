// What the extension uses of the browser, for the type checker alone. No file of the extension loads this one.

declare namespace chrome {
  interface Event<Listener extends (...values: any[]) => any> {
    addListener(listener: Listener): void;
  }
  interface Tab { id: number; url?: string; status?: string; windowId: number; incognito: boolean; active: boolean; }
  interface Window { id?: number; left?: number; top?: number; width?: number; focused: boolean; }
  interface MessageSender {
    id?: string; url?: string; origin?: string; tab?: Tab; frameId?: number; documentId?: string; documentLifecycle?: string;
  }
  interface Port {
    name: string; sender?: MessageSender; error?: { message: string };
    postMessage(message: object): void;
    disconnect(): void;
    onMessage: Event<(message: any) => any>;
    onDisconnect: Event<() => void>;
  }
  interface RegisteredContentScript {
    id: string; js: string[]; matches: string[]; world: 'MAIN' | 'ISOLATED'; runAt: 'document_start'; allFrames: boolean;
    matchOriginAsFallback: boolean; persistAcrossSessions: boolean;
  }
  interface ProxyRequest { requestId: number; requestDetailsJson: string; }
  interface ProxyAnswer { requestId: number; responseJson?: string; error?: { name: string; message: string }; }

  const runtime: {
    id: string;
    lastError?: { message: string };
    connect(details: { name: string }): Port;
    connectNative(name: string): Port;
    getURL(path: string): string;
    getFrameId?(target: object): number;
    sendMessage(message: object): Promise<any>;
    onConnect: Event<(port: Port) => void>;
    onInstalled: Event<() => void>;
    onStartup: Event<() => void>;
    onMessage: Event<(message: any, sender: MessageSender, answer: (value: any) => void) => boolean>;
  };
  const webAuthenticationProxy: undefined | {
    attach(): Promise<string | undefined>;
    detach(): Promise<string | undefined>;
    completeCreateRequest(answer: ProxyAnswer): Promise<void>;
    completeGetRequest(answer: ProxyAnswer): Promise<void>;
    completeIsUvpaaRequest(answer: { requestId: number; isUvpaa: boolean }): Promise<void>;
    onCreateRequest: Event<(request: ProxyRequest) => void>;
    onGetRequest: Event<(request: ProxyRequest) => void>;
    onIsUvpaaRequest: Event<(request: { requestId: number }) => void>;
    onRequestCanceled: Event<(id: number) => void>;
  };
  const scripting: {
    getRegisteredContentScripts(filter: { ids: string[] }): Promise<RegisteredContentScript[]>;
    registerContentScripts(scripts: RegisteredContentScript[]): Promise<void>;
    unregisterContentScripts(filter: { ids: string[] }): Promise<void>;
  };
  const storage: {
    local: { get(names: string[]): Promise<Record<string, any>>; set(values: object): Promise<void> };
  };
  const tabs: {
    get(id: number): Promise<Tab>;
    query(filter: object): Promise<Tab[]>;
    update(id: number, changes: object): Promise<Tab>;
    sendMessage(tab: number, message: object, target: { frameId: number }): Promise<any>;
    onUpdated: Event<(id: number, change: { status?: string }) => any> & { removeListener(listener: (id: number, change: { status?: string }) => any): void };
    onRemoved: Event<(id: number) => void>;
  };
  const windows: {
    create(details: object): Promise<Window>;
    get(id: number): Promise<Window>;
    getCurrent(): Promise<Window>;
    remove(id: number): Promise<void>;
    update(id: number, changes: object): Promise<Window>;
    onRemoved: Event<(id: number) => void>;
  };
  const action: {
    setBadgeText(details: { tabId: number; text: string }): Promise<void>;
    setBadgeBackgroundColor(details: { tabId: number; color: string }): Promise<void>;
    setTitle(details: { tabId: number; title: string }): Promise<void>;
  };
  const contextMenus: undefined | {
    create(entry: { id: string; title: string; contexts: string[]; documentUrlPatterns: string[] }): void;
    removeAll(): Promise<void>;
    onClicked: Event<(click: { menuItemId: string | number; frameId?: number }, tab?: Tab) => void>;
  };
  const alarms: { create(name: string, details: object): Promise<void>; onAlarm: Event<() => void> };
  const i18n: { getMessage(name: string, values?: string[]): string; getUILanguage(): string };
}

interface Navigator { userActivation?: { isActive: boolean; hasBeenActive: boolean }; }
interface HTMLElement { showPopover?(): void; }
interface Element { checkVisibility?(): boolean; }
interface Document { featurePolicy?: { allowsFeature(name: string): boolean }; }
