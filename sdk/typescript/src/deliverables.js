// Deliverables: their list, and downloads that are checked. Files on a disk: see node.js.

import { HashMismatch } from "./errors.js";
import { path } from "./transport.js";

/** @import { Deliverable, DeliverableList } from "../types/models.js" */
/** @import { Transport } from "./transport.js" */

/** The files of productions. */
export class Deliverables {
  /** @internal */
  transport;

  /** @internal @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /**
   * Return every file of a production, with addresses that are valid for an hour; none before they exist.
   *
   * @param {string} productionId
   * @returns {Promise<Deliverable[]>}
   */
  async list(productionId) {
    return (await this.page(productionId)).data;
  }

  /**
   * Return the files of a production and the texts beside them (`descriptions`).
   *
   * @param {string} productionId
   * @returns {Promise<DeliverableList>}
   */
  async page(productionId) {
    return this.transport.send({ method: "GET", path: path`/v1/productions/${productionId}/deliverables` });
  }

  /**
   * Return the content of a file, in memory, when its size and SHA-256 are those that the API says.
   *
   * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
   *
   * @param {Deliverable} deliverable
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async content(deliverable) {
    const content = await this.transport.again({ method: "GET", path: "" }, `download of ${deliverable.deliverableId}`, async () => {
      return new Uint8Array(await (await this.transport.open(deliverable.sasUrl)).arrayBuffer());
    });
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    check(deliverable, content.length, Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    return content;
  }
}

/**
 * HashMismatch: what arrived is not what `deliverable` describes.
 *
 * @internal
 * @param {Deliverable} deliverable
 * @param {number} size
 * @param {string} sha256
 */
export function check(deliverable, size, sha256) {
  if (size === deliverable.sizeBytes && sha256 === deliverable.sha256) return;
  throw new HashMismatch(
    `${size} bytes with the SHA-256 ${sha256} arrived; ` +
      `deliverable ${deliverable.deliverableId} has ${deliverable.sizeBytes} with ${deliverable.sha256}.`,
  );
}
