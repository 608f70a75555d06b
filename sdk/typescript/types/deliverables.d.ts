/**
 * Write a file to a sink; what is missing after a break is asked for by `Range`. ApiError, ConnectionFailed, HashMismatch.
 *
 * @internal
 * @param {Transport} transport
 * @param {Deliverable} deliverable
 * @param {Sink} sink
 * @param {RequestOptions} options
 * @param {string} name What it is, for messages.
 */
export function receive(transport: Transport, deliverable: Deliverable, sink: Sink, options: RequestOptions, name: string): Promise<void>;
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
/** @import { RequestOptions, Transport } from "./transport.js" */
/**
 * What a download is written to.
 *
 * @internal
 * @typedef {object} Sink
 * @property {(piece: Uint8Array) => unknown} write
 * @property {() => unknown} restart Forget what has been written.
 */
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
     * @param {RequestOptions} [options]
     * @returns {Promise<Deliverable[]>}
     */
    list(productionId: string, options?: RequestOptions): Promise<Deliverable[]>;
    /**
     * Return the files of a production and the texts beside them (`descriptions`).
     *
     * @param {string} productionId
     * @param {RequestOptions} [options]
     * @returns {Promise<DeliverableList>}
     */
    page(productionId: string, options?: RequestOptions): Promise<DeliverableList>;
    /**
     * Return the content of a file, in memory, when its size and SHA-256 are those that the API says.
     *
     * A download that breaks off goes on from where it was. `timeoutSeconds`: without a byte, after which an answer counts as lost.
     *
     * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
     *
     * @param {Deliverable} deliverable
     * @param {RequestOptions} [options]
     * @returns {Promise<Uint8Array<ArrayBuffer>>}
     */
    content(deliverable: Deliverable, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>;
}
/**
 * What a download is written to.
 */
export type Sink = {
    write: (piece: Uint8Array) => unknown;
    /**
     * Forget what has been written.
     */
    restart: () => unknown;
};
import type { Transport } from "./transport.js";
import type { Deliverable } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
import type { DeliverableList } from "../types/models.js";
