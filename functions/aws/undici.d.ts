/** The two modules of `undici` that are used. Its index also loads `fetch`, WebSocket and caches. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}

/** The index of `undici` also loads `fetch` (functions/aws/undici.d.ts). */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
