import * as v from 'valibot';
import { type PlanTable, planTables } from './billing/plans.ts';

/** `GET /config.json`, served with the dashboard: settings that differ between deployments. Contains no secrets. */
export const DashboardConfig = v.object({
  /** Client id of Google Identity Services. Null hides the button, except in local mode, which has its own issuer. */
  googleClientId: v.nullable(v.string()),
  /** True in local mode, where the service serves `/_local`. */
  local: v.boolean(),
  /** Audio formats that the demo engine generates; it transcribes only its own speech. Null if real models are used. */
  demoSpeechFormats: v.nullable(v.array(v.string())),
  /** The enforced table of plans. */
  planTable: v.optional(v.picklist(planTables), 'listing'),
  /** Address of "Contact sales". Null hides the link. */
  salesEmail: v.optional(v.nullable(v.string()), null),
  /** Whether plans and credits are paid for. */
  payments: v.optional(v.boolean(), false),
  /** Whether keys can store prompts and responses. */
  storePrompts: v.optional(v.boolean(), false),
});
export type DashboardConfig = v.InferOutput<typeof DashboardConfig>;

/** Path of the OpenAPI document, a file in the dashboard's build. */
export const apiDocumentPath = '/openapi.json';

/** Guides in display order. Each one is a page below `/guides`. */
export const guides = [
  'quick-start',
  'authentication',
  'openai-sdks',
  'responses',
  'anthropic-sdks',
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
export type GuideSlug = (typeof guides)[number];

/**
 * Paths that return the dashboard's index.html, `/` only with a session cookie. Every other path is a file of the
 * dashboard, a path of the API, or a 404. For a 404, a browser navigation receives the dashboard's page for unknown
 * addresses, and any other request the envelope.
 */
export const dashboardPages = [
  '/',
  '/register',
  '/login',
  '/confirm',
  '/forgot-password',
  '/reset-password',
  '/email-change',
  '/invitation',
  '/models',
  '/keys',
  '/plans',
  '/billing',
  '/usage',
  '/logs',
  '/agents',
  '/messages',
  '/webhooks',
  '/playground',
  '/settings',
  '/organization',
  '/operator',
  '/docs',
  '/guides',
  ...guides.map((slug) => `/guides/${slug}` as const),
] as const;

/** The first page of a visitor without a session. With a session cookie, `/` is the dashboard. */
export const frontPage = '/front.html';

/** Settings of a stage that change the pricing page: the limits of plans, and whether packs are sold. */
export interface PricingSettings {
  readonly planTable: PlanTable;
  readonly payments: boolean;
}

/** The build contains a pricing page for each. */
export const pricingVariants: readonly PricingSettings[] = planTables.flatMap((planTable) =>
  [false, true].map((payments) => ({ planTable, payments })),
);

/** Paths of public files with other names. */
export function publicFiles({ planTable, payments }: PricingSettings) {
  const pricing = `/pricing/${planTable}${payments ? '-payments' : ''}`;
  return {
    '/pricing': `${pricing}.html`,
    '/pricing.md': `${pricing}.md`,
    // The address before /openapi.json, which clients may have stored.
    '/docs/openapi.json': apiDocumentPath,
  };
}

/** Stands for the deployment's address in examples and public files. Replaced when they are published or shown. */
export const originMark = '{{origin}}';
/** Types of files that may contain `originMark`. In scripts, the browser replaces it. */
export const withOrigin: ReadonlySet<string> = new Set(['.html', '.md', '.txt']);

/** Folder of the build with the files of `hashedAssets` compressed with Brotli. Every browser with modules reads it. */
export const brotliAssets = 'brotli';

/** Files of the build that are not published under their names. */
export const notPublished: readonly string[] = ['sources.txt', '.vite', brotliAssets];

/** Returns whether a request is a browser navigation, by its Accept header. */
export const acceptsPage = (accept = ''): boolean => accept.includes('text/html');

/** Folder of the build's files. Their names contain a hash of the content, so they can be cached without expiry. */
export const hashedAssets = '/assets/';
export const cacheControl = { hashed: 'public, max-age=31536000, immutable', other: 'no-cache' } as const;

export interface PageOrigins {
  readonly google: boolean;
  readonly storage: string;
}

/**
 * Headers of every dashboard file. Scripts must be files of the same origin. Inline styles are allowed, because scripts
 * set them (Mantine's variables, scroll locks). `google` allows the sources of Google's button (Google Identity
 * Services, "Content Security Policy"). `storage` is the origin for uploads of long audio.
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
      // Audio in the page's memory: generated, recorded or selected files.
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
