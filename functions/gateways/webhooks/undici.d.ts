/** The index of `undici` loads the whole of `fetch` too (functions/runtime/quick/undici.d.ts). */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
