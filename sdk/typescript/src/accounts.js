// Accounts, and the languages and countries of briefs.

import { path } from "./transport.js";

/** @import { Account, Country, Language, Lexicon, LexiconEntry, PortalLink } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */

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
   * @returns {AsyncGenerator<Account, void, undefined>}
   */
  list() {
    return this.#transport.entries("/v1/accounts");
  }

  /**
   * Return an account.
   *
   * @param {string} accountId
   * @returns {Promise<Account>}
   */
  async get(accountId) {
    return this.#transport.send({ method: "GET", path: path`/v1/accounts/${accountId}` });
  }

  /**
   * Return how an account's productions speak words that are written otherwise.
   *
   * @param {string} accountId
   * @returns {Promise<Lexicon>}
   */
  async lexicon(accountId) {
    return this.#transport.send({ method: "GET", path: path`/v1/accounts/${accountId}/lexicon` });
  }

  /**
   * Replace the whole pronunciation lexicon of an account, and return it.
   *
   * @param {string} accountId
   * @param {LexiconEntry[]} entries
   * @returns {Promise<Lexicon>}
   */
  async replaceLexicon(accountId, entries) {
    return this.#transport.send({ method: "PUT", path: path`/v1/accounts/${accountId}/lexicon`, body: { entries } });
  }

  /**
   * Return a link to the account's page for your own customers.
   *
   * @param {string} accountId
   * @param {number} [expiresInMinutes]
   * @returns {Promise<PortalLink>}
   */
  async portalLink(accountId, expiresInMinutes = 60) {
    const to = path`/v1/accounts/${accountId}/portal-links`;
    return this.#transport.send({ method: "POST", path: to, body: { expiresInMinutes }, isReading: true });
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
   * @returns {AsyncGenerator<Language, void, undefined>}
   */
  languages() {
    return this.#transport.entries("/v1/languages");
  }

  /**
   * Yield every country.
   *
   * @returns {AsyncGenerator<Country, void, undefined>}
   */
  countries() {
    return this.#transport.entries("/v1/countries");
  }

  /**
   * Return the `languageId` of a BCP 47 code such as `en`. RangeError: narration does not speak it.
   *
   * @param {string} code
   * @returns {Promise<string>}
   */
  async languageId(code) {
    for await (const each of this.languages()) {
      if (each.code.toLowerCase() === code.toLowerCase()) return each.languageId;
    }
    throw new RangeError(`there is no language '${code}'; languages() yields those there are`);
  }

  /**
   * Return the `countryId` of an ISO 3166 code such as `US`. RangeError: there is none.
   *
   * @param {string} code
   * @returns {Promise<string>}
   */
  async countryId(code) {
    for await (const each of this.countries()) {
      if (each.code.toLowerCase() === code.toLowerCase()) return each.countryId;
    }
    throw new RangeError(`there is no country '${code}'; countries() yields those there are`);
  }
}
