// The client: one object with everything that the API can do.

import { Accounts, Places } from "./accounts.js";
import { Batches, Templates } from "./briefing.js";
import { Deliverables } from "./deliverables.js";
import { Events } from "./events.js";
import { Partner } from "./partner.js";
import { Productions } from "./productions.js";
import { USUAL } from "./retries.js";
import { Webhooks } from "./subscriptions.js";
import { Transport } from "./transport.js";

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
  constructor(baseUrl, apiKey, { timeoutSeconds = 30, retries = {}, fetch: send } = {}) {
    if (!apiKey) throw new TypeError("the API key is empty");
    if (!baseUrl) throw new TypeError("the address of the service is empty");
    const chosen = send ?? ((...request) => fetch(...request));
    const transport = new Transport(baseUrl, apiKey, { ...USUAL, ...retries }, timeoutSeconds, chosen);
    super(transport);
    this.accounts = new Accounts(transport);
    this.events = new Events(transport);
    this.productions = new Productions(transport, this.events);
    this.batches = new Batches(transport);
    this.templates = new Templates(transport);
    this.deliverables = new Deliverables(transport);
    this.webhooks = new Webhooks(transport);
    this.partner = new Partner(transport);
  }
}
