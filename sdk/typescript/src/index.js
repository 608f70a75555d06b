// The client of the Partner Production API: trigger productions, follow them, fetch their files, verify webhooks.

export { Client } from "./client.js";
export {
  ApiError,
  Conflict,
  ConnectionFailed,
  Forbidden,
  HashMismatch,
  InvalidRequest,
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
/** @typedef {import("./retries.js").Retries} Retries */
