/** @import { Delivery, NewSubscription, Ping, Queued, Registration, RolledSecret, SampleEvent, Subscription, WebhookChange, Window } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */
/** The webhooks of the partner. */
export class Webhooks {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Subscribe an endpoint. The answer alone has `signingSecret`: keep it where the receiver finds it.
     *
     * @param {Registration} registration
     * @param {PostOptions} [options]
     * @returns {Promise<NewSubscription>}
     */
    create(registration: Registration, options?: PostOptions): Promise<NewSubscription>;
    /**
     * Yield every webhook.
     *
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Subscription, void, undefined>}
     */
    list(options?: RequestOptions): AsyncGenerator<Subscription, void, undefined>;
    /**
     * Return a webhook.
     *
     * @param {string} subscriptionId
     * @param {RequestOptions} [options]
     * @returns {Promise<Subscription>}
     */
    get(subscriptionId: string, options?: RequestOptions): Promise<Subscription>;
    /**
     * Change where events are sent, or which; the secret and everything else stay.
     *
     * @param {string} subscriptionId
     * @param {WebhookChange} change
     * @param {RequestOptions} [options]
     * @returns {Promise<Subscription>}
     */
    change(subscriptionId: string, change: WebhookChange, options?: RequestOptions): Promise<Subscription>;
    /**
     * Send nothing until `resume`; what happens meanwhile waits.
     *
     * @param {string} subscriptionId
     * @param {PostOptions} [options]
     * @returns {Promise<Subscription>}
     */
    pause(subscriptionId: string, options?: PostOptions): Promise<Subscription>;
    /**
     * Send again, beginning with what has waited.
     *
     * @param {string} subscriptionId
     * @param {PostOptions} [options]
     * @returns {Promise<Subscription>}
     */
    resume(subscriptionId: string, options?: PostOptions): Promise<Subscription>;
    /**
     * End a webhook.
     *
     * @param {string} subscriptionId
     * @param {RequestOptions} [options]
     * @returns {Promise<void>}
     */
    delete(subscriptionId: string, options?: RequestOptions): Promise<void>;
    /**
     * Make a new signing secret; the old one signs too for `overlapHours`.
     *
     * @param {string} subscriptionId
     * @param {{ overlapHours?: number } & PostOptions} [options]
     * @returns {Promise<RolledSecret>}
     */
    rollSecret(subscriptionId: string, { overlapHours, ...options }?: {
        overlapHours?: number;
    } & PostOptions): Promise<RolledSecret>;
    /**
     * Have a test event sent to the endpoint, or a sample of `eventType`; at most one a minute.
     *
     * @param {string} subscriptionId
     * @param {SampleEvent} [sample]
     * @param {PostOptions} [options]
     * @returns {Promise<Ping>}
     */
    ping(subscriptionId: string, sample?: SampleEvent, options?: PostOptions): Promise<Ping>;
    /**
     * Have events sent again to an endpoint that had failed too often.
     *
     * @param {string} subscriptionId
     * @param {PostOptions} [options]
     * @returns {Promise<Subscription>}
     */
    reinstate(subscriptionId: string, options?: PostOptions): Promise<Subscription>;
    /**
     * Yield the deliveries of a webhook, newest first, with every attempt.
     *
     * @param {string} subscriptionId
     * @param {{ status?: Delivery["status"][] } & RequestOptions} [options]
     * @returns {AsyncGenerator<Delivery, void, undefined>}
     */
    deliveries(subscriptionId: string, { status, ...options }?: {
        status?: Delivery["status"][];
    } & RequestOptions): AsyncGenerator<Delivery, void, undefined>;
    /**
     * Send a delivery again.
     *
     * @param {string} subscriptionId
     * @param {string} deliveryId
     * @param {PostOptions} [options]
     * @returns {Promise<Delivery>}
     */
    redeliver(subscriptionId: string, deliveryId: string, options?: PostOptions): Promise<Delivery>;
    /**
     * Send the events of a period again; one replay at a time.
     *
     * @param {string} subscriptionId
     * @param {Window} window
     * @param {PostOptions} [options]
     * @returns {Promise<Queued>}
     */
    replay(subscriptionId: string, window: Window, options?: PostOptions): Promise<Queued>;
    #private;
}
import type { Registration } from "../types/models.js";
import type { PostOptions } from "./transport.js";
import type { NewSubscription } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
import type { Subscription } from "../types/models.js";
import type { WebhookChange } from "../types/models.js";
import type { RolledSecret } from "../types/models.js";
import type { SampleEvent } from "../types/models.js";
import type { Ping } from "../types/models.js";
import type { Delivery } from "../types/models.js";
import type { Window } from "../types/models.js";
import type { Queued } from "../types/models.js";
import type { Transport } from "./transport.js";
