/**
 * HashMismatch: what arrived is not what `deliverable` describes.
 *
 * @internal
 * @param {Deliverable} deliverable
 * @param {number} size
 * @param {string} sha256
 */
export function check(deliverable: Deliverable, size: number, sha256: string): void;
/** @import { Deliverable, DeliverableList } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */
/** The files of productions. */
export class Deliverables {
    /** @internal @param {Transport} transport */
    constructor(transport: Transport);
    /** @internal */
    transport: Transport;
    /**
     * Return every file of a production, with addresses that are valid for an hour; none before they exist.
     *
     * @param {string} productionId
     * @returns {Promise<Deliverable[]>}
     */
    list(productionId: string): Promise<Deliverable[]>;
    /**
     * Return the files of a production and the texts beside them (`descriptions`).
     *
     * @param {string} productionId
     * @returns {Promise<DeliverableList>}
     */
    page(productionId: string): Promise<DeliverableList>;
    /**
     * Return the content of a file, in memory, when its size and SHA-256 are those that the API says.
     *
     * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
     *
     * @param {Deliverable} deliverable
     * @returns {Promise<Uint8Array<ArrayBuffer>>}
     */
    content(deliverable: Deliverable): Promise<Uint8Array<ArrayBuffer>>;
}
import type { Deliverable } from "../types/models.js";
import type { Transport } from "./transport.js";
import type { DeliverableList } from "../types/models.js";
