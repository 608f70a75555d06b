/**
 * Return an answer whose body is to have a shape: one of READ, `object`, or `any`. InvalidResponse.
 *
 * @internal
 * @param {Response} response
 * @param {string} text
 * @param {string} shape
 * @returns {ApiResponse}
 */
export function read(response: Response, text: string, shape: string): ApiResponse;
/**
 * InvalidResponse: an answer is no page of a list whose entries have a shape.
 *
 * @internal
 * @param {ApiResponse} answer
 * @param {string} shape
 */
export function requirePage(answer: ApiResponse, shape: string): void;
/**
 * An answer that is no error. `body`: what its JSON says; null if it is empty.
 */
export type ApiResponse = {
    status: number;
    headers: Headers;
    /**
     * What to quote to support.
     */
    correlationId: string | null;
    body: any;
};
/**
 * A list names the shape of its entries.
 */
export type Wanted = "number" | "string" | "object" | readonly [string];
