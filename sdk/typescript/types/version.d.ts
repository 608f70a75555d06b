export const API_VERSION: "2026-11-23";
