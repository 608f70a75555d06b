// The partner itself: its key, its usage, its requests.

/** @import { Request, Rotation, Usage, Verification } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */

/** What belongs to the partner as a whole. */
export class Partner {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Return whose key this is and what it may do.
   *
   * @param {RequestOptions} [options]
   * @returns {Promise<Verification>}
   */
  async verify(options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: "/v1/partners/verify" });
  }

  /**
   * Make a new key and return it, once; the old one, which this client goes on using, ends after 24 hours.
   *
   * @param {PostOptions} [options]
   * @returns {Promise<Rotation>}
   */
  async rotateKey(options = {}) {
    return this.#transport.send({ ...options, method: "POST", path: "/v1/partners/keys/rotate", body: {} });
  }

  /**
   * Return requests, productions and spend of the last months, the current one included.
   *
   * @param {{ months?: number } & RequestOptions} [options]
   * @returns {Promise<Usage>}
   */
  async usage({ months = 1, ...options } = {}) {
    return this.#transport.send({ ...options, method: "GET", path: "/v1/partner/usage", query: { months } });
  }

  /**
   * Yield the requests of the partner, newest first; by default those of the last 24 hours.
   *
   * `since`, `until`: the time, in ISO 8601, at most 30 days. `statusClass`: 2, 4 or 5. `correlationId`: only those of this
   * `X-Correlation-Id`.
   *
   * @param {{ since?: string, until?: string, statusClass?: 2 | 4 | 5, correlationId?: string } & RequestOptions} [options]
   * @returns {AsyncGenerator<Request, void, undefined>}
   */
  requests({ since, until, statusClass, correlationId, ...options } = {}) {
    return this.#transport.entries("/v1/partner/requests", { from: since, to: until, status: statusClass, correlationId }, options);
  }
}
