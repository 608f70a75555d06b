// Accounts, and the languages and countries of briefs.

import { path } from "./transport.js";

/** @import { Account, Country, Language, Lexicon, LexiconEntry, PortalLink } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */

/** The accounts that the key may use. */
export class Accounts {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Yield every account.
   *
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Account, void, undefined>}
   */
  list(options = {}) {
    return this.#transport.entries("/v1/accounts", {}, options);
  }

  /**
   * Return an account.
   *
   * @param {string} accountId
   * @param {RequestOptions} [options]
   * @returns {Promise<Account>}
   */
  async get(accountId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/accounts/${accountId}` });
  }

  /**
   * Return how an account's productions speak words that are written otherwise.
   *
   * @param {string} accountId
   * @param {RequestOptions} [options]
   * @returns {Promise<Lexicon>}
   */
  async lexicon(accountId, options = {}) {
    return this.#transport.send({ ...options, method: "GET", path: path`/v1/accounts/${accountId}/lexicon` });
  }

  /**
   * Replace the whole pronunciation lexicon of an account, and return it.
   *
   * @param {string} accountId
   * @param {LexiconEntry[]} entries
   * @param {RequestOptions} [options]
   * @returns {Promise<Lexicon>}
   */
  async replaceLexicon(accountId, entries, options = {}) {
    return this.#transport.send({ ...options, method: "PUT", path: path`/v1/accounts/${accountId}/lexicon`, body: { entries } });
  }

  /**
   * Return a link to the account's page for your own customers.
   *
   * @param {string} accountId
   * @param {number} [expiresInMinutes]
   * @param {PostOptions} [options]
   * @returns {Promise<PortalLink>}
   */
  async portalLink(accountId, expiresInMinutes = 60, options = {}) {
    const to = path`/v1/accounts/${accountId}/portal-links`;
    return this.#transport.send({ ...options, method: "POST", path: to, body: { expiresInMinutes } });
  }
}

/** Languages and countries, which briefs name by their identifiers. */
export class Places {
  #transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Yield every language that narration can speak.
   *
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Language, void, undefined>}
   */
  languages(options = {}) {
    return this.#transport.entries("/v1/languages", {}, options, "Language");
  }

  /**
   * Yield every country.
   *
   * @param {RequestOptions} [options]
   * @returns {AsyncGenerator<Country, void, undefined>}
   */
  countries(options = {}) {
    return this.#transport.entries("/v1/countries", {}, options, "Country");
  }

  /**
   * Return the `languageId` of a BCP 47 code such as `en`. RangeError: narration does not speak it.
   *
   * @param {string} code
   * @param {RequestOptions} [options]
   * @returns {Promise<string>}
   */
  async languageId(code, options = {}) {
    for await (const each of this.languages(options)) {
      if (each.code.toLowerCase() === code.toLowerCase()) return each.languageId;
    }
    throw new RangeError(`there is no language '${code}'; languages() yields those there are`);
  }

  /**
   * Return the `countryId` of an ISO 3166 code such as `US`. RangeError: there is none.
   *
   * @param {string} code
   * @param {RequestOptions} [options]
   * @returns {Promise<string>}
   */
  async countryId(code, options = {}) {
    for await (const each of this.countries(options)) {
      if (each.code.toLowerCase() === code.toLowerCase()) return each.countryId;
    }
    throw new RangeError(`there is no country '${code}'; countries() yields those there are`);
  }
}
