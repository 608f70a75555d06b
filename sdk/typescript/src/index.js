// The client of the Partner Production API: trigger productions, follow them, fetch their files, verify webhooks.

export { Client } from "./client.js";
export {
  ApiError,
  Conflict,
  ConnectionFailed,
  Forbidden,
  HashMismatch,
  InvalidRequest,
  InvalidResponse,
  InvalidSignature,
  NotFound,
  PartnerProductionError,
  ProductionCancelled,
  ProductionEnded,
  ProductionFailed,
  RateLimited,
  Unauthorized,
  Unavailable,
  WaitTimedOut,
} from "./errors.js";
export { VERSION } from "./transport.js";
export { API_VERSION } from "./version.js";
export { verifyWebhook } from "./webhooks.js";
/** @typedef {import("./errors.js").SignatureProblem} SignatureProblem */
/** @typedef {import("./responses.js").ApiResponse} ApiResponse */
/** @typedef {import("./retries.js").Retries} Retries */
/** @typedef {import("./transport.js").Logger} Logger */
/** @typedef {import("./transport.js").PostOptions} PostOptions */
/** @typedef {import("./transport.js").RequestOptions} RequestOptions */
