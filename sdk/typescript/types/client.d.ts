/** @import { ApiResponse } from "./responses.js" */
/** @import { Retries } from "./retries.js" */
/** @import { Logger, PostOptions } from "./transport.js" */
/** The API of one server with one key. */
export class Client extends Places {
    /**
     * `timeoutSeconds`: after which a request counts as lost (30); each call can be given another. `retries`: when requests are
     * sent again. `fetch`: what to send with, such as one with a proxy; by default the runtime's. `logger`: told of each answer
     * (`debug`), and of each request that is sent again (`info`). `apiVersion`: the dated version of the API to name in each
     * request; null: none is named. TypeError, which never shows the key: the address or the key cannot be sent.
     *
     * @param {string} baseUrl The address of the service, such as `https://media.example.com`.
     * @param {string} apiKey The key, `svc_live_…` or `svc_test_…`.
     * @param {{ timeoutSeconds?: number, retries?: Retries, fetch?: typeof fetch, logger?: Logger | undefined, apiVersion?: string | null }} [options]
     */
    constructor(baseUrl: string, apiKey: string, { timeoutSeconds, retries, fetch: send, logger, apiVersion }?: {
        timeoutSeconds?: number;
        retries?: Retries;
        fetch?: typeof fetch;
        logger?: Logger | undefined;
        apiVersion?: string | null;
    });
    accounts: Accounts;
    events: Events;
    productions: Productions;
    batches: Batches;
    templates: Templates;
    deliverables: Deliverables;
    webhooks: Webhooks;
    partner: Partner;
    /**
     * Send a request that no method has, and return its answer with status, headers and body.
     *
     * It carries the API key and, by POST, an `Idempotency-Key`, and is sent again as all others. `path`: from `/v1` on,
     * with its identifiers encoded. `query`: what comes after `?`. `body`: what to send as JSON.
     *
     * @param {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
     * @param {string} path
     * @param {{ query?: Record<string, string | number | boolean | readonly string[] | null | undefined>, body?: unknown } & PostOptions} [options]
     * @returns {Promise<ApiResponse>}
     */
    request(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, { query, body, ...options }?: {
        query?: Record<string, string | number | boolean | readonly string[] | null | undefined>;
        body?: unknown;
    } & PostOptions): Promise<ApiResponse>;
    #private;
}
import { Places } from "./accounts.js";
import { Accounts } from "./accounts.js";
import { Events } from "./events.js";
import { Productions } from "./productions.js";
import { Batches } from "./briefing.js";
import { Templates } from "./briefing.js";
import { Deliverables } from "./deliverables.js";
import { Webhooks } from "./subscriptions.js";
import { Partner } from "./partner.js";
import type { PostOptions } from "./transport.js";
import type { ApiResponse } from "./responses.js";
import type { Retries } from "./retries.js";
import type { Logger } from "./transport.js";
