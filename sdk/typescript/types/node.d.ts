/** @import { Client } from "./client.js" */
/** @import { RequestOptions, Transport } from "./transport.js" */
/** @import { Deliverable } from "../types/models.js" */
/**
 * Save a file and return its path: it is there only when its size and SHA-256 are those that the API says.
 *
 * A download that breaks off goes on from where it was. `timeoutSeconds`: without a byte, after which an answer counts as lost.
 *
 * HashMismatch: they are not. Forbidden with the code `LINK_EXPIRED`: list the deliverables again.
 *
 * @param {Client} client
 * @param {Deliverable} deliverable
 * @param {string} target
 * @param {RequestOptions} [options]
 * @returns {Promise<string>}
 */
export function download(client: Client, deliverable: Deliverable, target: string, options?: RequestOptions): Promise<string>;
/**
 * Save every file of a production into `folder` and return the paths, such as `Video-Watch.mp4`.
 *
 * @param {Client} client
 * @param {string} productionId
 * @param {string} folder
 * @param {RequestOptions} [options]
 * @returns {Promise<string[]>}
 */
export function downloadAll(client: Client, productionId: string, folder: string, options?: RequestOptions): Promise<string[]>;
import type { Client } from "./client.js";
import type { Deliverable } from "../types/models.js";
import type { RequestOptions } from "./transport.js";
