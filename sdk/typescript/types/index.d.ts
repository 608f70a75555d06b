export { Client } from "./client.js";
export { VERSION } from "./transport.js";
export { API_VERSION } from "./version.js";
export { verifyWebhook } from "./webhooks.js";
export type Retries = import("./retries.js").Retries;
export { ApiError, Conflict, ConnectionFailed, Forbidden, HashMismatch, InvalidRequest, InvalidSignature, NotFound, PartnerProductionError, ProductionCancelled, ProductionEnded, ProductionFailed, RateLimited, Unauthorized, Unavailable, WaitTimedOut } from "./errors.js";
