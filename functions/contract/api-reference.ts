/** Where the API reference is served. */
export const apiReferencePath = '/docs';

/** Its files by public name, with where they come from, from the project's root; the page itself is also served at the path. */
export const apiReferenceFiles = {
  'index.html': 'docs/reference/index.html',
  'reference.css': 'docs/reference/reference.css',
  'reference.js': 'docs/reference/reference.js',
  'openapi.json': 'docs/openapi.json',
  'swagger-ui.css': 'node_modules/swagger-ui-dist/swagger-ui.css',
  'swagger-ui-bundle.js': 'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
} as const satisfies Readonly<Record<string, string>>;

/** Headers of every file: scripts and styles are files of the same origin, and requests go nowhere else. */
export const apiReferenceHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
