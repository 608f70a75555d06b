/** @import { Account, Country, Language, Lexicon, LexiconEntry, PortalLink } from "../types/models.js" */
/** @import { PostOptions, RequestOptions, Transport } from "./transport.js" */
/** The accounts that the key may use. */
export class Accounts {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Yield every account.
     *
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Account, void, undefined>}
     */
    list(options?: RequestOptions): AsyncGenerator<Account, void, undefined>;
    /**
     * Return an account.
     *
     * @param {string} accountId
     * @param {RequestOptions} [options]
     * @returns {Promise<Account>}
     */
    get(accountId: string, options?: RequestOptions): Promise<Account>;
    /**
     * Return how an account's productions speak words that are written otherwise.
     *
     * @param {string} accountId
     * @param {RequestOptions} [options]
     * @returns {Promise<Lexicon>}
     */
    lexicon(accountId: string, options?: RequestOptions): Promise<Lexicon>;
    /**
     * Replace the whole pronunciation lexicon of an account, and return it.
     *
     * @param {string} accountId
     * @param {LexiconEntry[]} entries
     * @param {RequestOptions} [options]
     * @returns {Promise<Lexicon>}
     */
    replaceLexicon(accountId: string, entries: LexiconEntry[], options?: RequestOptions): Promise<Lexicon>;
    /**
     * Return a link to the account's page for your own customers.
     *
     * @param {string} accountId
     * @param {number} [expiresInMinutes]
     * @param {PostOptions} [options]
     * @returns {Promise<PortalLink>}
     */
    portalLink(accountId: string, expiresInMinutes?: number, options?: PostOptions): Promise<PortalLink>;
    #private;
}
/** Languages and countries, which briefs name by their identifiers. */
export class Places {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /**
     * Yield every language that narration can speak.
     *
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Language, void, undefined>}
     */
    languages(options?: RequestOptions): AsyncGenerator<Language, void, undefined>;
    /**
     * Yield every country.
     *
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<Country, void, undefined>}
     */
    countries(options?: RequestOptions): AsyncGenerator<Country, void, undefined>;
    /**
     * Return the `languageId` of a BCP 47 code such as `en`. RangeError: narration does not speak it.
     *
     * @param {string} code
     * @param {RequestOptions} [options]
     * @returns {Promise<string>}
     */
    languageId(code: string, options?: RequestOptions): Promise<string>;
    /**
     * Return the `countryId` of an ISO 3166 code such as `US`. RangeError: there is none.
     *
     * @param {string} code
     * @param {RequestOptions} [options]
     * @returns {Promise<string>}
     */
    countryId(code: string, options?: RequestOptions): Promise<string>;
    #private;
}
import type { RequestOptions } from "./transport.js";
import type { Account } from "../types/models.js";
import type { Lexicon } from "../types/models.js";
import type { LexiconEntry } from "../types/models.js";
import type { PostOptions } from "./transport.js";
import type { PortalLink } from "../types/models.js";
import type { Transport } from "./transport.js";
import type { Language } from "../types/models.js";
import type { Country } from "../types/models.js";
