import * as v from 'valibot';
import { planTables } from './billing/plans.ts';

/** `GET /config.json`, which lies beside the dashboard's files: what differs between deployments. No secret is in it. */
export const DashboardConfig = v.object({
  /** Client id of Google Identity Services; null: no button, except on one machine, whose own issuer stands in. */
  googleClientId: v.nullable(v.string()),
  /** True where the service runs on one machine and serves `/_local`. */
  local: v.boolean(),
  /**
   * The formats that the demo engine speaks, of which it reads back only its own speech; null where a model speaks and
   * hears.
   */
  demoSpeechFormats: v.nullable(v.array(v.string())),
  /** Which table of plans is enforced. */
  planTable: v.optional(v.picklist(planTables), 'listing'),
  /** Address of "Contact sales"; null: the page shows none. */
  salesEmail: v.optional(v.nullable(v.string()), null),
});
export type DashboardConfig = v.InferOutput<typeof DashboardConfig>;

/** Where the API's OpenAPI document is served, a file of the dashboard's build. */
export const apiDocumentPath = '/docs/openapi.json';

/** The guides in their order; each is a page below `/guides`. */
export const guides = [
  'quick-start',
  'authentication',
  'openai-sdks',
  'chat',
  'completions',
  'streams',
  'function-calling',
  'embeddings',
  'analysis',
  'agents',
  'translation',
  'audio',
  'messages',
  'errors',
  'idempotency',
  'plans-and-limits',
  'credits',
  'webhooks',
] as const;

/**
 * Paths that are served the dashboard's index.html; every other path is a file of it, the API's, or a 404. Of that, a browser's
 * navigation is served the dashboard's page of an unknown address, any other request the envelope.
 */
export const dashboardPages = [
  '/',
  '/register',
  '/login',
  '/confirm',
  '/forgot-password',
  '/reset-password',
  '/email-change',
  '/keys',
  '/plans',
  '/usage',
  '/logs',
  '/agents',
  '/messages',
  '/webhooks',
  '/playground',
  '/settings',
  '/operator',
  '/docs',
  '/guides',
  ...guides.map((slug) => `/guides/${slug}` as const),
] as const;

/** Whether a request is a browser's navigation, by its Accept header. */
export const acceptsPage = (accept = ''): boolean => accept.includes('text/html');

/** Folder of the build's files, whose names carry a hash of their content: they may be kept for ever. */
export const hashedAssets = '/assets/';
export const cacheControl = { hashed: 'public, max-age=31536000, immutable', other: 'no-cache' } as const;

export interface PageOrigins {
  readonly google: boolean;
  readonly storage: string;
}

/**
 * Headers of every dashboard file. Scripts come as files of the same origin only; styles are also set from scripts
 * (Mantine's variables, scroll locks), so inline ones are let through. `google` opens what its button needs
 * (Google Identity Services, "Content Security Policy"); `storage` is the origin that long audio is sent to.
 */
export function dashboardHeaders({ google, storage }: PageOrigins): Readonly<Record<string, string>> {
  const gsi = google ? ' https://accounts.google.com/gsi/' : '';
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self'${google ? ' https://accounts.google.com/gsi/client' : ''}`,
      `style-src 'self' 'unsafe-inline'${google ? ' https://accounts.google.com/gsi/style' : ''}`,
      "img-src 'self' data:",
      "font-src 'self'",
      // Audio that was generated, recorded or chosen: files in the page's memory.
      'media-src blob:',
      `connect-src 'self' ${storage}${gsi}`,
      ...(google ? [`frame-src${gsi}`] : []),
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': google ? 'same-origin-allow-popups' : 'same-origin',
  };
}
