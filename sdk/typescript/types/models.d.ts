// What the API takes and gives. Written by sdk/generate.py; do not edit.

/** @enum {string} */
export type ProductionStatus = "Queued" | "Producing" | "AwaitingApproval" | "Distributing" | "Published" | "Failed" | "Cancelled";
/** @enum {string} */
export type HoldReason = "ScriptReview" | "Translation";
/** @enum {string} */
export type StepStatus = "Pending" | "Running" | "Completed" | "Failed" | "Cancelled";
/** @enum {string} */
export type PublicationStatus = "Pending" | "Publishing" | "Published" | "Failed" | "Withdrawn";
/** @enum {string} */
export type BatchStatus = "Open" | "Finished";
/** @enum {string} */
export type DeliveryStatus = "Pending" | "Succeeded" | "Failed" | "Parked" | "Skipped";
/** @enum {string} */
export type SubscriptionStatus = "Active" | "Failed";
/** @enum {string} */
export type AccountStatus = "Active" | "Pilot" | "Suspended" | "Closed";
/** @enum {string} */
export type DeliverableType = "Video" | "ClosedCaptions" | "AudioDescription" | "Transcript" | "ComplianceCertificate";
/** @enum {string} */
export type EventType = "batch.completed" | "deliverable.ready" | "production.awaiting_approval" | "production.cancelled" | "production.distributing" | "production.expiring" | "production.failed" | "production.published" | "production.queued" | "production.script.ready" | "production.step.complete" | "usage.threshold" | "webhook.ping" | "webhook.test";
export interface Error {
    /** Machine-readable code. */
    error: string;
    /** What is wrong with the request, and how to fix it. */
    message: string;
    /** Seconds to wait; on 429 and 503, else null. */
    retryAfterSeconds: number | null;
    /** Trace identifier to quote to support; also in `X-Correlation-Id`. */
    correlationId: string;
    /** On validation errors: field name to messages. */
    fields?: {
        [key: string]: string[];
    };
}

export type Nothing = Record<string, never>;
export interface LexiconEntry {
    /** The word as it is written, or several. With a capital letter: only this form; without: every form. */
    written: string;
    /** What is said instead, with at least as many words. */
    spoken: string;
}

export interface NewLexicon {
    /** The whole lexicon, at most 500 entries; none to empty it. */
    entries: LexiconEntry[];
}

export interface NewPortalLink {
    /** How long the link is valid; it ends earlier with its key. */
    expiresInMinutes?: number;
}

export interface Brief {
    /** What the production is about. */
    topic: string;
    /** A `languageId` of `GET /v1/languages`; or send `language`. */
    languageId?: string;
    /** A `code` of `GET /v1/languages`, in place of `languageId`. */
    language?: string;
    /** A `countryId` of `GET /v1/countries`; or send `country`. */
    countryId?: string;
    /** A `code` of `GET /v1/countries`, in place of `countryId`. */
    country?: string;
    /** An `avatarId` of the account. */
    avatarId: string;
    /** A project type of the account; by default the account's default. */
    projectTypeSlug?: string | null;
    /** Notes in Markdown: headings become scenes, list items become points, prose becomes narration. */
    metadataMD?: string | null;
    /** Required when the project type's title template names `{subject}`. */
    subjectOverride?: string | null;
    /** Your own reference, such as an order number. Not unique: several productions may have one. */
    externalId?: string | null;
    /**
     * `script`: the production stops after its script, until that is approved; `none`: it does not. By default as the account has it.
     * @enum {string|null}
     */
    review?: "script" | "none" | null;
    /**
     * What the video looks like; by default as its project type has it.
     * @enum {string|null}
     */
    look?: "explainer" | "short" | "news" | "editorial" | "playful" | "product" | "scenes" | null;
    /**
     * Dark or light; by default as the account has it.
     * @enum {string|null}
     */
    theme?: "dark" | "light" | null;
    /** Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`. */
    languageIds?: string[];
    /** A `code` of `GET /v1/languages` for each, in place of `languageIds`. */
    languages?: string[];
    /**
     * Who translates into `languageIds`: `people`, whom each production awaits; `model`: the model that writes scripts writes each in its language. By default the model, where one is configured.
     * @enum {string|null}
     */
    translation?: "people" | "model" | null;
    /** Languages into which the model that writes scripts translates the captions; the production's own is left out. Each becomes a SubRip and a WebVTT file among the deliverables. */
    captionLanguageIds?: string[];
    /** A `code` of `GET /v1/languages` for each, in place of `captionLanguageIds`. */
    captionLanguages?: string[];
}

export interface Registration {
    /** Where events are posted to: https, a public address. */
    endpointUrl: string;
    /** At least one of: production.queued, production.step.complete, production.awaiting_approval, production.distributing, production.published, production.failed, production.cancelled, deliverable.ready, webhook.ping, batch.completed, production.script.ready, production.expiring, usage.threshold. */
    eventTypes: EventType[];
    /** Only events of these accounts; at most 50; empty: as if left out. */
    accountIds?: string[] | null;
    /** Only events of this account. */
    accountScopeId?: string | null;
}

export interface WebhookChange {
    /** Where events are posted to from now on, also those that are queued: https, a public address. */
    endpointUrl?: string;
    /** All event types to hear from now on. */
    eventTypes?: EventType[];
}

export interface Roll {
    /** How long the old secret also signs; 0: only the new one signs, immediately. */
    overlapHours?: number;
}

export interface SampleEvent {
    /**
     * Send a sample of this type, with the nil UUID as its production.
     * @enum {string}
     */
    eventType?: "production.queued" | "production.step.complete" | "production.awaiting_approval" | "production.distributing" | "production.published" | "production.failed" | "production.cancelled" | "deliverable.ready" | "webhook.ping" | "batch.completed" | "production.script.ready" | "production.expiring" | "usage.threshold";
}

export interface Window {
    /** Events from this moment on. */
    from: string;
    /** To this one; by default now. */
    to?: string | null;
    /** Only events of this production. */
    productionId?: string | null;
    /** Only events that were not delivered: failed or skipped. */
    missed?: boolean;
}

export interface BatchOrder {
    /**
     * `each`: accept or refuse brief by brief; `atomic`: trigger all of them or none.
     * @enum {string}
     */
    mode?: "each" | "atomic";
    /** The briefs, at most 1,000. */
    items: Brief[];
}

export interface TemplateBrief {
    /** As in a brief. */
    topic: string;
    /** A `languageId` of `GET /v1/languages`; or send `language`. */
    languageId?: string;
    /** A `code` of `GET /v1/languages`, in place of `languageId`. */
    language?: string;
    /** A `countryId` of `GET /v1/countries`; or send `country`. */
    countryId?: string;
    /** A `code` of `GET /v1/countries`, in place of `countryId`. */
    country?: string;
    /** As in a brief. */
    avatarId: string;
    /** As in a brief. */
    projectTypeSlug?: string | null;
    /** As in a brief. */
    metadataMD?: string | null;
    /** As in a brief. */
    subjectOverride?: string | null;
    /** As in a brief. */
    externalId?: string | null;
    /**
     * As in a brief.
     * @enum {string|null}
     */
    review?: "script" | "none" | null;
    /**
     * As in a brief.
     * @enum {string|null}
     */
    look?: "explainer" | "short" | "news" | "editorial" | "playful" | "product" | "scenes" | null;
    /**
     * As in a brief.
     * @enum {string|null}
     */
    theme?: "dark" | "light" | null;
    /** Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`. */
    languageIds?: string[];
    /** A `code` of `GET /v1/languages` for each, in place of `languageIds`. */
    languages?: string[];
    /**
     * As in a brief.
     * @enum {string|null}
     */
    translation?: "people" | "model" | null;
    /** Languages into which the model that writes scripts translates the captions; the production's own is left out. Each becomes a SubRip and a WebVTT file among the deliverables. */
    captionLanguageIds?: string[];
    /** A `code` of `GET /v1/languages` for each, in place of `captionLanguageIds`. */
    captionLanguages?: string[];
}

export interface Variable {
    /** As it stands between `{{` and `}}`. */
    name: string;
    /**
     * `markdown` may have markup, in `metadataMD`; all others are plain text there.
     * @enum {string}
     */
    type?: "text" | "markdown" | "number" | "date" | "choice";
    /** Whether a value must be given where there is no default. */
    required?: boolean;
    /** The value where none is given. */
    default?: string | number | null;
    /** The values of the type `choice`. */
    choices?: string[];
    /** For people. */
    example?: string | number | null;
    /** For people. */
    description?: string;
}

export interface NewTemplate {
    /** For people. */
    name: string;
    /** The brief, with `{{variables}}` in its texts. */
    brief: TemplateBrief;
    /** All variables that the brief names. */
    variables?: Variable[];
}

export interface PreviewValues {
    /** Values by the name of their variable. One of the type `number` may be a number of JSON. */
    values?: {
        [key: string]: string | number;
    };
    /** In place of the template's. */
    languageId?: string | null;
    /** A `code` of `GET /v1/languages`, in place of `languageId`. */
    language?: string | null;
    /** Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`. */
    languageIds?: string[] | null;
    /** A `code` of `GET /v1/languages` for each, in place of `languageIds`. */
    languages?: string[] | null;
    /** In place of the template's. */
    countryId?: string | null;
    /** A `code` of `GET /v1/countries`, in place of `countryId`. */
    country?: string | null;
    /** In place of the template's. */
    avatarId?: string | null;
    /** In place of the template's. */
    externalId?: string | null;
    /** Whether the script is written, too; it takes a second or two. */
    withScript?: boolean;
}

export interface Values {
    /** Values by the name of their variable. One of the type `number` may be a number of JSON. */
    values?: {
        [key: string]: string | number;
    };
    /** In place of the template's. */
    languageId?: string | null;
    /** A `code` of `GET /v1/languages`, in place of `languageId`. */
    language?: string | null;
    /** Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`. */
    languageIds?: string[] | null;
    /** A `code` of `GET /v1/languages` for each, in place of `languageIds`. */
    languages?: string[] | null;
    /** In place of the template's. */
    countryId?: string | null;
    /** A `code` of `GET /v1/countries`, in place of `countryId`. */
    country?: string | null;
    /** In place of the template's. */
    avatarId?: string | null;
    /** In place of the template's. */
    externalId?: string | null;
}

export interface TableOrder {
    /**
     * `each`: accept or refuse brief by brief; `atomic`: trigger all of them or none.
     * @enum {string}
     */
    mode?: "each" | "atomic";
    /** A table: the first line names the columns, which are variables of the template or `language` and `languages` (codes; several in a cell, with spaces between), `country`, `languageId`, `languageIds`, `countryId`, `avatarId` and `externalId`; each further line is a brief, at most 1,000. */
    csv: string;
}

export interface SceneChange {
    /** A scene of the script; left out: a new one. */
    sceneId?: number | null;
    /** Its heading; left out, it stays as it is. */
    heading?: string | null;
    /** What is said; left out, it stays as it is. */
    narration?: string | null;
    /** List items; left out, it stays as it is. Those of a table or chart cannot be changed. */
    points?: string[] | null;
    /** Words of the narration, or the heading, to show large; empty: all of it; left out, it stays as it is. */
    keyPhrase?: string | null;
    /** What its illustration shows, in a word or two; empty: none; left out, it stays as it is. */
    picture?: string | null;
}

export interface ScriptChange {
    /** The version that was changed; another one is refused. */
    version: number;
    /** All scenes, in their order. One that is left out is removed. */
    scenes: SceneChange[];
}

export interface SceneChoice {
    /** A scene of the script. */
    sceneId: number;
}

export interface Approval {
    /** The version that was read; left out: the latest. */
    version?: number | null;
}

export interface Rejection {
    /** The version that was read; left out: the latest. */
    version?: number | null;
    /** Why; it becomes `errorMessage`. */
    reason?: string | null;
}

export interface TranslatedSegment {
    /** The segment. */
    segmentId: string;
    /** Its translation. */
    target: string;
}

export interface NewTranslation {
    /** The translated segments, all of them; or send `xliff`. */
    segments?: TranslatedSegment[] | null;
    /** The XLIFF file with its targets filled in, in place of `segments`. */
    xliff?: string | null;
}

export interface Limits {
    /** Over a rolling window of 60 seconds. */
    requestsPerMinute: number;
    /** To midnight UTC; null: unlimited. */
    requestsPerDay: number | null;
    /** To midnight UTC; null: unlimited. */
    dailyProductionsPerAccount: number | null;
}

export interface Verification {
    /** The partner whose key this is. */
    partnerId: string;
    /** The partner's name. */
    partnerName: string;
    /** `Active` for any call to succeed. */
    partnerStatus: string;
    /**
     * Decides the limits.
     * @enum {string}
     */
    tier: "Free" | "Standard" | "Enterprise";
    /**
     * Which accounts the key reaches.
     * @enum {string}
     */
    environment: "live" | "test";
    /** The name given when the key was created. */
    keyName: string;
    /** The first characters of the key, which may be displayed. */
    keyPrefix: string;
    /** The permissions of the key; null: all. */
    scopes: string[] | null;
    /** The accounts that the key may address; null: all of its environment. */
    permittedAccountIds: string[] | null;
    /** Whether the key may be rotated through the API. */
    selfServeKeyRotationEnabled: boolean;
    /** Whether webhooks may be reinstated through the API. */
    selfServeLifecycleEnabled: boolean;
    /** When the key expires, as set on creation or by rotation; null: never. */
    keyExpiresAt: string | null;
    /** The address ranges from which the key may be used; null: any. */
    allowedRanges: string[] | null;
    /** The limits of the tier. */
    limits: Limits;
    /** The key itself on its first verify, or the live key of an activation key; null afterwards. */
    apiKey: string | null;
}

export interface Rotation {
    /** The new key, shown only here. */
    apiKey: string;
    /** The first characters of the new key. */
    keyPrefix: string;
    /** When the new key becomes valid: immediately. */
    activeFrom: string;
    /** The first characters of the old key. */
    previousKeyPrefix: string;
    /** The end of the old key's 24-hour grace period. */
    previousKeyExpiresAt: string;
}

export interface ProjectType {
    /** What a brief sends as `projectTypeSlug`. */
    slug: string;
    /** Its name for people. */
    name: string;
    /** Whether a brief must send `subjectOverride`. */
    requiresSubjectOverride: boolean;
}

export interface Avatar {
    /** What a brief sends as `avatarId`. */
    avatarId: string;
    /** Its name for people. */
    name: string;
    /** The languages that it speaks; null: all. */
    languageIds: string[] | null;
}

export interface Platform {
    /** A place to which productions are published. */
    platform: string;
    /** `Connected` if productions are published to it. */
    status: string;
}

export interface Account {
    /** The account. */
    accountId: string;
    /** Its name for people. */
    name: string;
    /** Productions can be triggered in `Active` and `Pilot`. */
    status: AccountStatus;
    /**
     * Live keys reach live accounts, test keys sandbox accounts.
     * @enum {string}
     */
    environment: "live" | "sandbox";
    /** The project type of a brief without `projectTypeSlug`. */
    defaultProjectTypeSlug: string;
    /** What a brief may name as its project type. */
    projectTypes: ProjectType[];
    /** Who can present a production. */
    avatars: Avatar[];
    /** Where productions are published. */
    connectedPlatforms: Platform[];
    /** When the account was created. */
    createdAt: string;
}

export interface AccountList {
    /** The entries of this page. */
    data: Account[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Pronunciation {
    /** The word as it is written, or several. With a capital letter: only this form; without: every form. */
    written: string;
    /** What is said instead, with at least as many words. */
    spoken: string;
}

export interface Lexicon {
    /** The account. */
    accountId: string;
    /** In the order in which they were sent. */
    entries: Pronunciation[];
    /** When it was last changed; null: never set. */
    updatedAt: string | null;
}

export interface PortalLink {
    /** The address of the page. Whoever has it sees the page: give it to one customer, over https. */
    url: string;
    /** When the link ends. */
    expiresAt: string;
}

export interface Language {
    /** What a brief sends as `languageId`; the same on every installation. */
    languageId: string;
    /** BCP 47. */
    code: string;
    /** In English. */
    name: string;
}

export interface LanguageList {
    /** The entries of this page. */
    data: Language[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Country {
    /** What a brief sends as `countryId`; the same on every installation. */
    countryId: string;
    /** ISO 3166-1 alpha-2. */
    code: string;
    /** In English. */
    name: string;
}

export interface CountryList {
    /** The entries of this page. */
    data: Country[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Publication {
    /** The place. */
    platform: string;
    /** How far its publication there is. */
    status: PublicationStatus;
    /** The post there; null until published, or if there is none. */
    platformPostId: string | null;
}

export interface BriefWarning {
    /**
     * What it is about, for programs. `QUALITY_GATE_WARNING`, of finished productions alone: a quality gate is not sure of a file; the console shows the picture of the scene.
     * @enum {string}
     */
    code: "PICTURE_NOT_FOUND" | "NOTES_EMPTY" | "CONTENT_SIMPLIFIED" | "QUALITY_GATE_WARNING";
    /** What will be left out or made otherwise, or what to look at, for people. */
    message: string;
}

export interface Production {
    /** The production. */
    productionId: string;
    /** The account that it belongs to. */
    accountId: string;
    /** `Published`, `Failed` and `Cancelled` are final. */
    status: ProductionStatus;
    /** Built from the topic with the title template of the project type. */
    title: string;
    /** As it was triggered. */
    topic: string;
    /** As it was triggered. */
    subjectOverride: string | null;
    /** As it was triggered. */
    languageId: string;
    /** As it was triggered. */
    countryId: string;
    /** As it was triggered. */
    avatarId: string;
    /** As it was triggered, or the account's default. */
    projectTypeSlug: string;
    /** As it was triggered. */
    metadataMD: string | null;
    /** Whether an API call triggered it; only then can the API cancel it. */
    apiTriggered: boolean;
    /** Pipeline steps completed. */
    stepsComplete: number;
    /** Pipeline steps in total. */
    stepsTotal: number;
    /** Label of the step that was completed last. */
    currentStep: string | null;
    /** Why it waits: `ScriptReview`: for its approval; `Translation`: for the translated brief; or null. */
    holdReason: HoldReason | null;
    /** 0 to 100. */
    progressPercent: number;
    /** When the files should be there; null once they are. */
    estimatedCompletionAt: string | null;
    /** Why it failed, for programs; null unless it did. */
    errorCode: string | null;
    /** Why it failed, for people. */
    errorMessage: string | null;
    /** The name of the step that failed. */
    failedStep: string | null;
    /** One entry for each place. */
    platforms: Publication[];
    /** Seconds until the next poll; null when terminal. */
    pollAfterSeconds: number | null;
    /** When it was triggered. */
    createdAt: string;
    /** When it last changed. */
    updatedAt: string;
    /** When it fails as `EXPIRED` unless it is being distributed; null if not of the API. */
    expiresAt: string | null;
    /** When its cancellation was requested. */
    cancelRequestedAt: string | null;
    /** Your own reference, as it was triggered. */
    externalId: string | null;
    /** As its brief had it; null: that of its project type. */
    look: string | null;
    /** As its brief had it; null: that of the account. */
    theme: string | null;
    /** Into which its captions are translated, as its brief had it. */
    captionLanguageIds: string[];
    /** 1, and one more for each correction after it was rendered. */
    revision: number;
    /** Of the productions that are the same in several languages; or null. */
    groupId: string | null;
    /** What the accepted brief lacks or what will be simplified, and what a quality gate is not sure of in the finished files; empty if nothing. */
    warnings: BriefWarning[];
}

export interface ProductionList {
    /** The entries of this page. */
    data: Production[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Step {
    /** The step. */
    name: string;
    /** How far the step is. */
    status: StepStatus;
    /** When it was started. */
    startedAt: string | null;
    /** When it was completed. */
    completedAt: string | null;
}

export interface ProductionWithSteps {
    /** The production. */
    productionId: string;
    /** The account that it belongs to. */
    accountId: string;
    /** `Published`, `Failed` and `Cancelled` are final. */
    status: ProductionStatus;
    /** Built from the topic with the title template of the project type. */
    title: string;
    /** As it was triggered. */
    topic: string;
    /** As it was triggered. */
    subjectOverride: string | null;
    /** As it was triggered. */
    languageId: string;
    /** As it was triggered. */
    countryId: string;
    /** As it was triggered. */
    avatarId: string;
    /** As it was triggered, or the account's default. */
    projectTypeSlug: string;
    /** As it was triggered. */
    metadataMD: string | null;
    /** Whether an API call triggered it; only then can the API cancel it. */
    apiTriggered: boolean;
    /** Pipeline steps completed. */
    stepsComplete: number;
    /** Pipeline steps in total. */
    stepsTotal: number;
    /** Label of the step that was completed last. */
    currentStep: string | null;
    /** Why it waits: `ScriptReview`: for its approval; `Translation`: for the translated brief; or null. */
    holdReason: HoldReason | null;
    /** 0 to 100. */
    progressPercent: number;
    /** When the files should be there; null once they are. */
    estimatedCompletionAt: string | null;
    /** Why it failed, for programs; null unless it did. */
    errorCode: string | null;
    /** Why it failed, for people. */
    errorMessage: string | null;
    /** The name of the step that failed. */
    failedStep: string | null;
    /** One entry for each place. */
    platforms: Publication[];
    /** Seconds until the next poll; null when terminal. */
    pollAfterSeconds: number | null;
    /** When it was triggered. */
    createdAt: string;
    /** When it last changed. */
    updatedAt: string;
    /** When it fails as `EXPIRED` unless it is being distributed; null if not of the API. */
    expiresAt: string | null;
    /** When its cancellation was requested. */
    cancelRequestedAt: string | null;
    /** Your own reference, as it was triggered. */
    externalId: string | null;
    /** As its brief had it; null: that of its project type. */
    look: string | null;
    /** As its brief had it; null: that of the account. */
    theme: string | null;
    /** Into which its captions are translated, as its brief had it. */
    captionLanguageIds: string[];
    /** 1, and one more for each correction after it was rendered. */
    revision: number;
    /** Of the productions that are the same in several languages; or null. */
    groupId: string | null;
    /** What the accepted brief lacks or what will be simplified, and what a quality gate is not sure of in the finished files; empty if nothing. */
    warnings: BriefWarning[];
    /** The pipeline's steps, in their order. */
    steps: Step[];
}

export interface Event {
    /** What happened; `webhooks` below describes each. */
    eventType: EventType;
    /** The production. */
    productionId: string;
    /** Its account. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps; events that only some hear have numbers above 1,000,000,000. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** True on a `deliverable.ready` with more than 100 deliverables. */
    truncated: boolean;
    /** The payload of the event type. */
    data: {
        [key: string]: unknown;
    };
}

export interface EventList {
    /** The entries of this page. */
    data: Event[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface EventFeed {
    /** The entries of this page. */
    data: Event[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the following events; always present. */
    nextCursor: string;
    /** Seconds until the next call; 0: immediately. */
    pollAfterSeconds: number;
}

export interface Deliverable {
    /** The deliverable. */
    deliverableId: string;
    /** What it is. */
    type: DeliverableType;
    /** The place that it was made for; null: the production. */
    platform: string | null;
    /**
     * Its file format.
     * @enum {string}
     */
    format: "mp4" | "srt" | "vtt" | "txt" | "docx" | "pdf";
    /** Download address, valid for one hour; needs no key. */
    sasUrl: string;
    /** When that address expires. */
    sasExpiresAt: string;
    /** The size of the file. */
    sizeBytes: number;
    /** SHA-256 of the file, in hex. */
    sha256: string;
    /** How long it plays; null for documents. */
    durationSeconds: number | null;
    /** BCP 47. */
    language: string;
}

export interface Description {
    /** The place. */
    platform: string;
    /** Title, summary, chapters, disclosure and hashtags, in the language of the video. */
    text: string;
}

export interface DeliverableList {
    /** The entries of this page. */
    data: Deliverable[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
    /** The production. */
    productionId: string;
    /** What stands beside the video at each place; empty until the files exist. */
    descriptions: Description[];
}

export interface Figures {
    /** Plays with watched time; null: not measured. */
    views: number | null;
    /** Different viewers among them. */
    uniqueViewers: number | null;
    /** Watched time of all views. */
    watchTimeSeconds: number | null;
    /** 0 to 100; null without views. */
    averagePercentViewed: number | null;
}

export interface PlatformFigures {
    /** Plays with watched time; null: not measured. */
    views: number | null;
    /** Different viewers among them. */
    uniqueViewers: number | null;
    /** Watched time of all views. */
    watchTimeSeconds: number | null;
    /** 0 to 100; null without views. */
    averagePercentViewed: number | null;
    /** The place. */
    platform: string;
    /** The post there; null if the place gives none. */
    platformPostId: string | null;
    /** `measured` or `imported`; null: not measured. */
    dataSource: string | null;
    /** Likes or favourites there; null: not counted, or not read. */
    likes: number | null;
    /** Shares or boosts there; null: not counted, or not read. */
    shares: number | null;
    /** When imported figures were read at the place; null: they are not imported. */
    asOf: string | null;
}

export interface Day {
    /** A UTC date with views. */
    date: string;
    /** The views that began on it. */
    views: number;
    /** Watched time of these. */
    watchTimeSeconds: number;
}

export interface Performance {
    /** The production. */
    productionId: string;
    /** When the figures were read. */
    asOf: string;
    /** Over the places that this server measures. */
    totals: Figures;
    /** One entry for each publication. */
    platforms: PlatformFigures[];
    /** Oldest first; days without views are left out. */
    daily: Day[];
}

export interface Request {
    /** The request. */
    requestId: string;
    /** When it was received. */
    timestamp: string;
    /** Its HTTP method. */
    method: string;
    /** Its path, without the query. */
    path: string;
    /** The status of the answer; null while it is being answered. */
    statusCode: number | null;
    /** `error` of the error envelope; null on success. */
    errorCode: string | null;
    /** How long the answer took. */
    durationMs: number | null;
    /** The first characters of the key. */
    keyPrefix: string;
    /** Its `X-Correlation-Id`. */
    correlationId: string;
    /** How many alike it stands for: refusals that no budget bounds, such as 429, are counted by key, method, route, status and minute; 1 for every other request. */
    count: number;
}

export interface RequestList {
    /** The entries of this page. */
    data: Request[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Money {
    /** At most in a UTC month, in the operator's currency; null: none. */
    ceiling: number | null;
    /** Spent and reserved in this month. */
    used: number;
    /** What a further production may cost; null: no ceiling. */
    left: number | null;
}

export interface Places {
    /** At most; null: no ceiling. */
    ceiling: number | null;
    /** Now. */
    used: number;
    /** What is left; null: no ceiling. */
    left: number | null;
}

export interface CustomerCeilings {
    /** Budget gate 2. */
    monthlySpend: Money;
    /** Productions that have not ended. */
    concurrentProductions: Places;
}

export interface AccountCeilings {
    /** The account. */
    accountId: string;
    /** Budget gate 1. */
    monthlySpend: Money;
    /** Productions that have not ended. */
    concurrentProductions: Places;
    /** Triggered since midnight UTC; the tier's ceiling. */
    dailyProductions: Places;
    /** Those of its customer, shared by its live accounts and, apart from them, by its sandboxes; null: the key is limited to some accounts. */
    customer: CustomerCeilings | null;
}

export interface RequestCounts {
    /** All requests. */
    total: number;
    /** Answered 2xx. */
    status2xx: number;
    /** Answered 4xx. */
    status4xx: number;
    /** Answered 5xx. */
    status5xx: number;
    /** Answered 429; counted in `status4xx` too. */
    rateLimited: number;
}

export interface ProductionCounts {
    /** Triggered in the month. */
    triggered: number;
    /** Published in the month. */
    published: number;
    /** Failed in the month. */
    failed: number;
    /** Cancelled in the month. */
    cancelled: number;
}

export interface DeliveryCounts {
    /** Webhook deliveries that were answered 2xx. */
    succeeded: number;
    /** Webhook deliveries that failed, including all retries. */
    failed: number;
}

export interface AccountUsage {
    /** The account. */
    accountId: string;
    /** Its productions. */
    productions: ProductionCounts;
    /** Length of its videos. */
    renderedSeconds: number;
    /** In the operator's currency. */
    spend: number;
}

export interface UsageMonth {
    /** API requests by the status of their answers. */
    requests: RequestCounts;
    /** Productions by their outcome. */
    productions: ProductionCounts;
    /** Length of the videos. */
    renderedSeconds: number;
    /** Webhook deliveries that ended. */
    webhookDeliveries: DeliveryCounts;
    /** In the operator's currency, of the accounts that the key may access. */
    spend: number;
    /** What productions of sandboxes would have cost. It is no part of what live accounts spend, nor of any budget of theirs. A test key sees its own, in `spend`, too. */
    sandboxSpend: number;
    /** A UTC month. */
    month: string;
    /** By account, without accounts that have none. */
    byAccount: AccountUsage[];
}

export interface UsageSums {
    /** API requests by the status of their answers. */
    requests: RequestCounts;
    /** Productions by their outcome. */
    productions: ProductionCounts;
    /** Length of the videos. */
    renderedSeconds: number;
    /** Webhook deliveries that ended. */
    webhookDeliveries: DeliveryCounts;
    /** In the operator's currency, of the accounts that the key may access. */
    spend: number;
    /** What productions of sandboxes would have cost. It is no part of what live accounts spend, nor of any budget of theirs. A test key sees its own, in `spend`, too. */
    sandboxSpend: number;
}

export interface Usage {
    /** The beginning of the oldest month. */
    from: string;
    /** Now. */
    to: string;
    /**
     * The current tier.
     * @enum {string}
     */
    tier: "Free" | "Standard" | "Enterprise";
    /** The limits of the tier. */
    limits: Limits;
    /** What is used and left now: at most 100 accounts, those that spent most in this month first. */
    ceilings: AccountCeilings[];
    /** Newest first. */
    months: UsageMonth[];
    /** Over these months. */
    totals: UsageSums;
}

export interface NewSubscription {
    /** The webhook. */
    subscriptionId: string;
    /** Where events are posted to. */
    endpointUrl: string;
    /** The subscribed event types. */
    eventTypes: EventType[];
    /** The accounts whose events are sent; null: see `accountScopeId`. */
    accountIds: string[] | null;
    /** The one account whose events are sent; both null: all accounts of the key. */
    accountScopeId: string | null;
    /** `Failed` after 10 consecutive failures. */
    status: SubscriptionStatus;
    /** Since when its deliveries wait; null: they are sent. */
    pausedAt: string | null;
    /** Consecutive failed deliveries. */
    failureCount: number;
    /** The time of the last delivery. */
    lastDeliveryAt: string | null;
    /** When it was registered. */
    createdAt: string;
    /** Base64url; decoded, it is the key of the signatures. Shown only here. */
    signingSecret: string;
    /** The same secret in the form of Standard Webhooks. Shown only here. */
    standardWebhooksSecret: string;
}

export interface Subscription {
    /** The webhook. */
    subscriptionId: string;
    /** Where events are posted to. */
    endpointUrl: string;
    /** The subscribed event types. */
    eventTypes: EventType[];
    /** The accounts whose events are sent; null: see `accountScopeId`. */
    accountIds: string[] | null;
    /** The one account whose events are sent; both null: all accounts of the key. */
    accountScopeId: string | null;
    /** `Failed` after 10 consecutive failures. */
    status: SubscriptionStatus;
    /** Since when its deliveries wait; null: they are sent. */
    pausedAt: string | null;
    /** Consecutive failed deliveries. */
    failureCount: number;
    /** The time of the last delivery. */
    lastDeliveryAt: string | null;
    /** When it was registered. */
    createdAt: string;
}

export interface SubscriptionList {
    /** The entries of this page. */
    data: Subscription[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface RolledSecret {
    /** The webhook. */
    subscriptionId: string;
    /** Base64url; decoded, it is the key of the signatures. Shown only here. */
    signingSecret: string;
    /** The same secret in the form of Standard Webhooks. Shown only here. */
    standardWebhooksSecret: string;
    /** Until when the old secret also signs; null: it has ended. */
    previousSecretEndsAt: string | null;
}

export interface Ping {
    /** The webhook. */
    subscriptionId: string;
    /** Of the test event. */
    eventId: string;
    /** The event type of the test event. */
    eventType: EventType;
}

export interface EndpointAnswer {
    /** Some of its headers. */
    headers: {
        [key: string]: string;
    };
    /** The beginning of its body: at most 1 KiB, as text. */
    body: string;
}

export interface Certificate {
    /** The subject. */
    subject: string;
    /** The issuer. */
    issuer: string;
    /** Its first 20 names. */
    names: string[];
    /** When it expires. */
    expiresAt: string;
    /** Whole days left at the ping; negative: it had expired. */
    daysLeft: number;
}

export interface Findings {
    /** The public addresses that the host's name resolved to. */
    addresses: string[];
    /** The negotiated version; null: no TLS connection. */
    tlsVersion: string | null;
    /** The certificate of the endpoint, trusted or not; null: none. */
    certificate: Certificate | null;
    /** Milliseconds to look the name up. */
    resolveMs: number | null;
    /** Milliseconds to connect. */
    connectMs: number | null;
    /** Milliseconds of the TLS handshake. */
    tlsMs: number | null;
    /** Milliseconds from the request to the answer's first byte. */
    firstByteMs: number | null;
}

export interface Attempt {
    /** When it was sent. */
    attemptedAt: string;
    /** The status of the endpoint's answer; null: none. */
    statusCode: number | null;
    /** What went wrong, in words; null on success. */
    error: string | null;
    /** How long the exchange took, in milliseconds. */
    durationMs: number | null;
    /** An excerpt of the endpoint's answer; null: none. */
    answer: EndpointAnswer | null;
    /** The findings of a ping about the endpoint; null for other deliveries. */
    findings: Findings | null;
}

export interface Delivery {
    /** The delivery. */
    deliveryId: string;
    /** The same on every retry, redelivery and replay. */
    eventId: string;
    /** What happened. */
    eventType: EventType;
    /** The nil UUID for a ping. */
    productionId: string;
    /** Of the event within its production; 0 for a ping. */
    sequenceNumber: number;
    /** The state of the delivery. */
    status: DeliveryStatus;
    /** All attempts, oldest first. */
    attempts: Attempt[];
    /** When it is tried next. */
    nextAttemptAt: string | null;
    /** When it was queued. */
    createdAt: string;
}

export interface DeliveryList {
    /** The entries of this page. */
    data: Delivery[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Queued {
    /** The number of deliveries that are sent again. */
    queued: number;
}

export interface Call {
    /** The method. */
    method: string;
    /** The path. */
    path: string;
    /** Its body; null: none. */
    body: {
        [key: string]: unknown;
    } | null;
}

export interface ProductionDeliveries {
    /** The webhook. */
    subscriptionId: string;
    /** Where its events are posted to. */
    endpointUrl: string;
    /** Of the webhook. */
    status: SubscriptionStatus;
    /** Sequence numbers that were delivered. */
    succeeded: number[];
    /** Those on their way, or between two attempts. */
    pending: number[];
    /** Those whose retries have all failed. */
    failed: number[];
    /** Those that wait for the reinstatement of the webhook. */
    parked: number[];
    /** Those that happened while the webhook was `Failed`. */
    skipped: number[];
    /** The first that neither arrived nor is on its way; null: none. */
    firstGap: number | null;
    /** The call that closes the gaps, ready to send; null: there are none. */
    fill: Call | null;
}

export interface ProductionDeliveriesList {
    /** The entries of this page. */
    data: ProductionDeliveries[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface GateRefusal {
    /** Machine-readable code. */
    error: string;
    /** Why it is refused. */
    message: string;
    /** Seconds to wait, where waiting helps. */
    retryAfterSeconds: number | null;
}

export interface Estimate {
    /** Whether a trigger would be accepted now. */
    isAccepted: boolean;
    /** Every gate that would refuse the brief, in their order; a trigger names the first. */
    refusals: GateRefusal[];
    /** The title that the production would have. */
    title: string;
    /** What would be reserved, in the operator's currency. */
    estimatedCost: number;
    /** About how long the video would play. */
    estimatedDurationSeconds: number;
    /** When the files would be there; null: not known yet. */
    estimatedCompletionAt: string | null;
    /** What the brief lacks or what would be simplified. */
    warnings: BriefWarning[];
}

export interface Counts {
    /** Briefs that a gate refused. */
    refused: number;
    /** Briefs that wait behind a ceiling of concurrent productions. */
    waiting: number;
    /** Productions in this state, like those below. */
    queued: number;
    /** `Producing`. */
    producing: number;
    /** `AwaitingApproval`. */
    awaitingApproval: number;
    /** `Distributing`. */
    distributing: number;
    /** `Published`. */
    published: number;
    /** `Failed`. */
    failed: number;
    /** `Cancelled`. */
    cancelled: number;
    /** Productions that were removed after their retention. */
    removed: number;
    /** Briefs that were not handled, as the request was interrupted: repeat it. */
    pending: number;
}

export interface Batch {
    /** The batch. */
    batchId: string;
    /** Its account. */
    accountId: string;
    /**
     * How it was triggered.
     * @enum {string}
     */
    mode: "atomic" | "each";
    /** `Finished` when every production has ended. */
    status: BatchStatus;
    /** How many briefs it has, each counted once for each of its languages. */
    size: number;
    /** Its briefs by state. */
    counts: Counts;
    /** When it was triggered. */
    createdAt: string;
    /** When its cancellation was requested. */
    cancelRequestedAt: string | null;
    /** When its last production had ended. */
    finishedAt: string | null;
}

export interface BatchList {
    /** The entries of this page. */
    data: Batch[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Refusal {
    /** Machine-readable code. */
    error: string;
    /** Why it is refused. */
    message: string;
}

export interface BatchItem {
    /** The place of the brief in the request, from 0; one for each of its languages. */
    position: number;
    /** Your own reference, as it was sent. */
    externalId: string | null;
    /** What it is about, also where the brief waits or was refused; null: its production was removed, or an earlier release took the brief. */
    topic: string | null;
    /** Its production; null: the brief was refused. */
    productionId: string | null;
    /** Of the production; null: there is none. `Cancelled` also of a brief that waited until its batch's cancel. */
    status: ProductionStatus | null;
    /**
     * `ConcurrencyLimit`: it waits until productions of the account or customer have ended; null: it does not wait.
     * @enum {string|null}
     */
    holdReason: "ConcurrencyLimit" | null;
    /** Why it was refused; null: it was not. */
    refusal: Refusal | null;
}

export interface BatchItemList {
    /** The entries of this page. */
    data: BatchItem[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface Template {
    /** The template. */
    templateId: string;
    /** Its account. */
    accountId: string;
    /** For people. */
    name: string;
    /** The brief, with `{{variables}}` in its texts. */
    brief: TemplateBrief;
    /** All variables that the brief names. */
    variables: Variable[];
    /** When it was added. */
    createdAt: string;
    /** When it was last replaced. */
    updatedAt: string;
}

export interface TemplateList {
    /** The entries of this page. */
    data: Template[];
    /** Whether there is another page. */
    hasMore: boolean;
    /** What to send as `cursor` for the next page; null on the last. */
    nextCursor: string | null;
}

export interface SceneVisual {
    /** `quote`, `number`, `table`, `bars`, `code`, … ; empty: none. */
    kind: string;
    /** The quotation, the figure, the lines of code. */
    text: string;
    /** Of a table or chart. */
    columns: string[];
    /** Of a table or chart. */
    rows: string[][];
}

export interface Scene {
    /** The scene; it stays the same in all versions. */
    sceneId: number;
    /** Shown above it, and said first where it begins a section. */
    heading: string;
    /** What is said, besides heading and points. */
    narration: string;
    /** List items, shown and said. */
    points: string[];
    /** Words of the narration, or the heading, that are shown large; null: chosen by meaning. */
    keyPhrase: string | null;
    /** What its illustration shows; empty: none. */
    picture: string;
    /** What it shows besides; it cannot be changed. */
    visual: SceneVisual;
    /** About how long it is spoken. */
    estimatedSeconds: number;
    /** What a configured model would charge for speaking it. */
    estimatedCost: number;
}

export interface Preview {
    /** The filled brief, ready to trigger. */
    brief: Brief;
    /** The estimate of that brief. */
    estimate: Estimate;
    /** The scenes of its script, if `withScript` asked for them; null where a model will write it. */
    script: Scene[] | null;
}

export interface Script {
    /** The production. */
    productionId: string;
    /** 1: as it was written; each change adds 1. */
    version: number;
    /**
     * Whether it awaits its review or is approved; null: nobody reviews it, as that was not asked for, or the production ended first.
     * @enum {string|null}
     */
    review: "Awaited" | "Approved" | null;
    /** Of the production. Opening and closing scenes are not among the scenes. */
    title: string;
    /** About how long the video would play. */
    estimatedDurationSeconds: number;
    /** Of the production, in the operator's currency. */
    estimatedCost: number;
    /** In the order in which they are shown. */
    scenes: Scene[];
    /** When this version was made. */
    createdAt: string;
    /** When the production fails if it is not released by then. */
    expiresAt: string | null;
}

export interface ScenePreview {
    /** The scene. */
    sceneId: number;
    /**
     * What `content` is.
     * @enum {string}
     */
    mediaType: "video/mp4";
    /** A small video of the scene with its narration, in Base64. */
    content: string;
}

export interface Segment {
    /** The segment. */
    segmentId: string;
    /**
     * The text of the brief that it is of.
     * @enum {string}
     */
    field: "topic" | "subjectOverride" | "metadataMD";
    /** As it was triggered. Markup in it, such as `**` or `|`, is to stay. */
    source: string;
    /** Its translation; null: there is none. */
    target: string | null;
}

export interface Translation {
    /** The production. */
    productionId: string;
    /**
     * Whether it is awaited or done; `Ended`: the production ended before it was translated.
     * @enum {string}
     */
    status: "Awaited" | "Done" | "Ended";
    /** BCP 47. */
    sourceLanguage: string;
    /** BCP 47. */
    targetLanguage: string;
    /** What is to be translated, in its order. */
    segments: Segment[];
    /** The same as an XLIFF 2.0 file, for translators' programs. */
    xliff: string;
    /** When the translation was received. */
    translatedAt: string | null;
}

export interface ProductionQueuedEventData {
    /**
     * Always `Queued`.
     * @constant
     */
    status: "Queued";
    /** Null unless of the API. */
    expiresAt: string | null;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionQueuedEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.queued`.
     * @constant
     */
    eventType: "production.queued";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionQueuedEventData;
}

export interface ProductionStepCompleteEventData {
    /**
     * Always `Producing`.
     * @constant
     */
    status: "Producing";
    /** Pipeline steps completed. */
    stepsComplete: number;
    /** Label of the step. */
    currentStep: string;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionStepCompleteEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.step.complete`.
     * @constant
     */
    eventType: "production.step.complete";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionStepCompleteEventData;
}

export interface ProductionAwaitingApprovalEventData {
    /**
     * Always `AwaitingApproval`.
     * @constant
     */
    status: "AwaitingApproval";
    /** Pipeline steps completed. */
    stepsComplete: number;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionAwaitingApprovalEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.awaiting_approval`.
     * @constant
     */
    eventType: "production.awaiting_approval";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionAwaitingApprovalEventData;
}

export interface ProductionDistributingEventDataPlatforms {
    /** The place. */
    platform: string;
    /** Its status. */
    status: string;
}

export interface ProductionDistributingEventData {
    /**
     * Always `Distributing`.
     * @constant
     */
    status: "Distributing";
    /** One each. */
    platforms: ProductionDistributingEventDataPlatforms[];
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionDistributingEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.distributing`.
     * @constant
     */
    eventType: "production.distributing";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionDistributingEventData;
}

export interface ProductionPublishedEventDataPlatforms {
    /** The place. */
    platform: string;
    /** Its status. */
    status: string;
    /** The post there; null if the place gives none. */
    platformPostId: string | null;
}

export interface ProductionPublishedEventData {
    /**
     * Always `Published`.
     * @constant
     */
    status: "Published";
    /** One entry for each place. */
    platforms: ProductionPublishedEventDataPlatforms[];
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionPublishedEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.published`.
     * @constant
     */
    eventType: "production.published";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionPublishedEventData;
}

export interface ProductionFailedEventData {
    /**
     * Always `Failed`.
     * @constant
     */
    status: "Failed";
    /** Why, for programs. */
    errorCode: string;
    /** Why, for people. */
    errorMessage: string;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionFailedEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.failed`.
     * @constant
     */
    eventType: "production.failed";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionFailedEventData;
}

export interface ProductionCancelledEventData {
    /**
     * Always `Cancelled`.
     * @constant
     */
    status: "Cancelled";
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionCancelledEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.cancelled`.
     * @constant
     */
    eventType: "production.cancelled";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionCancelledEventData;
}

export interface DeliverableReadyEventDataDeliverables {
    /** The deliverable. */
    deliverableId: string;
    /** What it is. */
    type: string;
    /** Its place; null: the production. */
    platform: string | null;
    /** Its file format. */
    format: string;
}

export interface DeliverableReadyEventData {
    /** Typically `AwaitingApproval`. */
    status: string;
    /** The first 100; `truncated` says whether there are more. */
    deliverables: DeliverableReadyEventDataDeliverables[];
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface DeliverableReadyEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `deliverable.ready`.
     * @constant
     */
    eventType: "deliverable.ready";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a production, without gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: DeliverableReadyEventData;
}

export interface WebhookPingEventData {
    /** As `eventType`. */
    type: string;
    /** For people. */
    message: string;
}

export interface WebhookPingEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `webhook.test`.
     * @constant
     */
    eventType: "webhook.test";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** 0 on test events. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: WebhookPingEventData;
}

export interface BatchCompletedEventData {
    /** The batch. */
    batchId: string;
    /** Its briefs by state. */
    counts: {
        [key: string]: number;
    };
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface BatchCompletedEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `batch.completed`.
     * @constant
     */
    eventType: "batch.completed";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1 within a batch, which ends again after it was resumed. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: BatchCompletedEventData;
}

export interface ProductionScriptReadyEventData {
    /**
     * Always `Producing`.
     * @constant
     */
    status: "Producing";
    /** Always `ScriptReview`. */
    holdReason: string;
    /** Of the script. */
    version: number;
    /** How many it has. */
    scenes: number;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionScriptReadyEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.script.ready`.
     * @constant
     */
    eventType: "production.script.ready";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1,000,000,001 within a production: apart from those of the other events, which have no gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionScriptReadyEventData;
}

export interface ProductionExpiringEventData {
    /**
     * `Producing` before the review, `Queued` before the translation.
     * @enum {string}
     */
    status: "Producing" | "Queued";
    /** What it waits for. */
    holdReason: HoldReason;
    /** When it fails. */
    expiresAt: string;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface ProductionExpiringEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `production.expiring`.
     * @constant
     */
    eventType: "production.expiring";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** From 1,000,000,001 within a production: apart from those of the other events, which have no gaps. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: ProductionExpiringEventData;
}

export interface UsageThresholdEventData {
    /**
     * What is used.
     * @enum {string}
     */
    limit: "accountBudget" | "customerBudget" | "dailyProductions" | "dailyRequests";
    /** Whose limit it is. */
    ownerId: string;
    /** 80 or 100. */
    percent: number;
    /** Of a budget in the operator's currency, else a number. */
    used: number;
    /** How much there is. */
    most: number;
    /** The month of a budget, the day of a limit; UTC. */
    period: string;
    /** Your own reference, where the production was triggered with one. */
    externalId?: string;
}

export interface UsageThresholdEvent {
    /** One per event and webhook: the same on every retry, redelivery and replay. */
    eventId: string;
    /**
     * Always `usage.threshold`.
     * @constant
     */
    eventType: "usage.threshold";
    /** The production; the nil UUID on test events. */
    productionId: string;
    /** Its account; the nil UUID on test events. */
    accountId: string;
    /** When it happened. */
    timestamp: string;
    /** 1 at 80 %, 2 at 100 %. */
    sequenceNumber: number;
    /** Of the request that caused it. */
    correlationId: string;
    /** Whether there are more than 100 deliverables. */
    truncated: boolean;
    data: UsageThresholdEventData;
}

export type WebhookEvent = ProductionQueuedEvent | ProductionStepCompleteEvent | ProductionAwaitingApprovalEvent | ProductionDistributingEvent | ProductionPublishedEvent | ProductionFailedEvent | ProductionCancelledEvent | DeliverableReadyEvent | WebhookPingEvent | BatchCompletedEvent | ProductionScriptReadyEvent | ProductionExpiringEvent | UsageThresholdEvent;
