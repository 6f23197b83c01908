/** The index of `undici` also loads `fetch` (functions/aws/undici.d.ts). */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
