/** The productions of the accounts that the key may use. */
export class Productions {
    /**
     * @internal
     * @param {Transport} transport
     * @param {Events} events
     */
    constructor(transport: Transport, events: Events);
    /**
     * Trigger a production, once, however often the request must be sent.
     *
     * `idempotencyKey`: one for each intention, such as an order number; by default a fresh one. With the same key the first answer
     * comes again for 24 hours. `waitForPlace`: how many seconds to wait until a production has finished where too many run already.
     *
     * @param {string} accountId
     * @param {Brief} brief
     * @param {{ waitForPlace?: number } & PostOptions} [options]
     * @returns {Promise<Production>}
     */
    trigger(accountId: string, brief: Brief, { idempotencyKey, waitForPlace, ...options }?: {
        waitForPlace?: number;
    } & PostOptions): Promise<Production>;
    /**
     * Return cost, duration and warnings of a brief, and every gate that would refuse it now, without triggering it.
     *
     * @param {string} accountId
     * @param {Brief} brief
     * @param {PostOptions} [options]
     * @returns {Promise<Estimate>}
     */
    estimate(accountId: string, brief: Brief, options?: PostOptions): Promise<Estimate>;
    /**
     * Return a production as it is now.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<ProductionWithSteps>}
     */
    get(productionId: string, options?: RequestOptions): Promise<ProductionWithSteps>;
    /**
     * Yield the productions of an account, newest first.
     *
     * `status`: only those in these states. `since`, `until`: only those that were triggered in this time, in ISO 8601.
     * `externalId`: only those with this reference of yours. `groupId`: only those that are the same in several languages.
     * `words`: only those whose title has words that begin with these.
     *
     * @param {string} accountId
     * @param {{ status?: ProductionStatus[], since?: string, until?: string, externalId?: string, groupId?: string, words?: string } & RequestOptions} [options]
     * @returns {AsyncGenerator<Production, void, undefined>}
     */
    list(accountId: string, { status, since, until, externalId, groupId, words, ...options }?: {
        status?: ProductionStatus[];
        since?: string;
        until?: string;
        externalId?: string;
        groupId?: string;
        words?: string;
    } & RequestOptions): AsyncGenerator<Production, void, undefined>;
    /**
     * Return the latest version of the script of a production that was triggered with `review: "script"`.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<Script>}
     */
    script(productionId: string, options?: RequestOptions): Promise<Script>;
    /**
     * Change a script that is under review: all scenes in their order. Conflict: another version is the latest.
     *
     * @param {string} productionId
     * @param {ScriptChange} change
     * @param {RequestOptions} [options]
     * @returns {Promise<Script>}
     */
    changeScript(productionId: string, change: ScriptChange, options?: RequestOptions): Promise<Script>;
    /**
     * Return a small MP4 video of a scene that is under review, with its narration. It takes some seconds.
     *
     * @param {string} productionId
     * @param {number} sceneId
     * @param {PostOptions} [options]
     * @returns {Promise<Uint8Array>}
     */
    previewScene(productionId: string, sceneId: number, options?: PostOptions): Promise<Uint8Array>;
    /**
     * Let a production go on with its script. `version`: the one that was read; by default the latest.
     *
     * @param {string} productionId
     * @param {{ version?: number | null } & PostOptions} [options]
     * @returns {Promise<Production>}
     */
    approveScript(productionId: string, { version, ...options }?: {
        version?: number | null;
    } & PostOptions): Promise<Production>;
    /**
     * End a production whose script is under review: it fails, and is not made. `version`: as for `approveScript`.
     *
     * @param {string} productionId
     * @param {{ version?: number | null, reason?: string | null } & PostOptions} [options]
     * @returns {Promise<Production>}
     */
    rejectScript(productionId: string, { version, reason, ...options }?: {
        version?: number | null;
        reason?: string | null;
    } & PostOptions): Promise<Production>;
    /**
     * Let the script of a finished production be reviewed again before its release, to correct it.
     *
     * @param {string} productionId
     * @param {PostOptions} [options]
     * @returns {Promise<Production>}
     */
    reopenScript(productionId: string, options?: PostOptions): Promise<Production>;
    /**
     * Return what people are to translate of a brief that was triggered with `languageIds`, also as XLIFF.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<Translation>}
     */
    translation(productionId: string, options?: RequestOptions): Promise<Translation>;
    /**
     * Send the translation of a brief, as segments or as XLIFF. Its production begins.
     *
     * @param {string} productionId
     * @param {NewTranslation} received
     * @param {RequestOptions} [options]
     * @returns {Promise<Translation>}
     */
    translate(productionId: string, received: NewTranslation, options?: RequestOptions): Promise<Translation>;
    /**
     * Cancel a production. Its status may be another one for a few seconds, while its work is being stopped.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<Production>}
     */
    cancel(productionId: string, options?: RequestOptions): Promise<Production>;
    /**
     * Yield the events of a production, oldest first.
     *
     * @param {string} productionId
     * @param {{ afterSequence?: number } & RequestOptions} [options]
     * @returns {AsyncGenerator<Event, void, undefined>}
     */
    events(productionId: string, { afterSequence, ...options }?: {
        afterSequence?: number;
    } & RequestOptions): AsyncGenerator<Event, void, undefined>;
    /**
     * Yield, for each webhook, which of a production's events arrived and which did not.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<ProductionDeliveries, void, undefined>}
     */
    deliveries(productionId: string, options?: RequestOptions): AsyncGenerator<ProductionDeliveries, void, undefined>;
    /**
     * Return the views of a published production.
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<Performance>}
     */
    performance(productionId: string, options?: RequestOptions): Promise<Performance>;
    /**
     * Wait until a production is published, and return it. ProductionFailed, ProductionCancelled, WaitTimedOut.
     *
     * It follows the service's event feed: a request waits there until something happens, so that this costs two requests a minute
     * and is as fast as a webhook. `onEvent` is called with each event of the production, from its first one on, once and in their
     * order. `onHold` is called with the production when it begins to wait for somebody: its `holdReason` says for what, or its
     * status is `AwaitingApproval`. Promises of both are awaited. `timeoutSeconds`: by default as long as it takes. `signal` ends
     * the waiting with its reason. Errors have the `production` as it was last read.
     *
     * @param {string} productionId
     * @param {{ onEvent?: (event: Event) => unknown, onHold?: (production: ProductionWithSteps) => unknown,
     *   timeoutSeconds?: number, signal?: AbortSignal }} [options]
     * @returns {Promise<ProductionWithSteps>}
     */
    waitUntilPublished(productionId: string, { onEvent, onHold, timeoutSeconds, signal }?: {
        onEvent?: (event: Event) => unknown;
        onHold?: (production: ProductionWithSteps) => unknown;
        timeoutSeconds?: number;
        signal?: AbortSignal;
    }): Promise<ProductionWithSteps>;
    #private;
}
import type { Brief } from "../types/models.js";
import type { PostOptions } from "./transport.js";
import type { Production } from "../types/models.js";
import type { Estimate } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
import type { ProductionWithSteps } from "../types/models.js";
import type { ProductionStatus } from "../types/models.js";
import type { Script } from "../types/models.js";
import type { ScriptChange } from "../types/models.js";
import type { Translation } from "../types/models.js";
import type { NewTranslation } from "../types/models.js";
import type { Event } from "../types/models.js";
import type { ProductionDeliveries } from "../types/models.js";
import type { Performance } from "../types/models.js";
import type { Transport } from "./transport.js";
import type { Events } from "./events.js";
