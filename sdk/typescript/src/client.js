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
import { API_VERSION } from "./version.js";

/** @import { ApiResponse } from "./responses.js" */
/** @import { Retries } from "./retries.js" */
/** @import { Logger, PostOptions } from "./transport.js" */

/** The API of one server with one key. */
export class Client extends Places {
  #transport;

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
  constructor(baseUrl, apiKey, { timeoutSeconds = 30, retries = {}, fetch: send, logger, apiVersion = API_VERSION } = {}) {
    const chosen = send ?? ((...request) => fetch(...request));
    const settings = { retries: { ...USUAL, ...retries }, timeoutSeconds, send: chosen, apiVersion, logger };
    const transport = new Transport(baseUrl, apiKey, settings);
    super(transport);
    this.accounts = new Accounts(transport);
    this.events = new Events(transport);
    this.productions = new Productions(transport, this.events);
    this.batches = new Batches(transport, this.events);
    this.templates = new Templates(transport);
    this.deliverables = new Deliverables(transport);
    this.webhooks = new Webhooks(transport);
    this.partner = new Partner(transport);
    this.#transport = transport;
  }

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
  async request(method, path, { query = {}, body, ...options } = {}) {
    if (!path.startsWith("/")) throw new TypeError(`the path ${JSON.stringify(path)} does not begin with /`);
    return this.#transport.respond({ ...options, method, path, query, body, shape: "any" });
  }
}
