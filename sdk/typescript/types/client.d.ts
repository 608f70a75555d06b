/** @import { Retries } from "./retries.js" */
/** The API of one server with one key. */
export class Client extends Places {
    /**
     * `timeoutSeconds`: after which a request counts as lost (30). `retries`: when requests are sent again. `fetch`: what to send
     * with, such as one with a proxy; by default the runtime's.
     *
     * @param {string} baseUrl The address of the service, such as `https://media.example.com`.
     * @param {string} apiKey The key, `svc_live_…` or `svc_test_…`.
     * @param {{ timeoutSeconds?: number, retries?: Retries, fetch?: typeof fetch }} [options]
     */
    constructor(baseUrl: string, apiKey: string, { timeoutSeconds, retries, fetch: send }?: {
        timeoutSeconds?: number;
        retries?: Retries;
        fetch?: typeof fetch;
    });
    accounts: Accounts;
    events: Events;
    productions: Productions;
    batches: Batches;
    templates: Templates;
    deliverables: Deliverables;
    webhooks: Webhooks;
    partner: Partner;
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
import type { Retries } from "./retries.js";
