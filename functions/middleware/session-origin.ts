import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { SessionOrigin } from '#domain/accounts/sessions.ts';
import { headerValues } from './headers.ts';

/** User-assigned ISO 3166-1 codes, reported for networks without a country. */
const noCountry = /^(?:XX|ZZ|T1)$/;

const loopback = /^(?:127\.|::1$|::ffff:127\.)/;

/** `countryHeader` is set by the edge; without an edge no country header is trusted. */
export function sessionOriginOf(event: APIGatewayProxyEvent, countryHeader: string | undefined): SessionOrigin {
  const [userAgent] = headerValues(event, 'user-agent');
  const isLocal = loopback.test(event.requestContext.identity.sourceIp);
  return { ...userAgentOf(userAgent), country: countryOf(event, countryHeader), isLocal };
}

function countryOf(event: APIGatewayProxyEvent, header: string | undefined): string | null {
  const values = header === undefined ? [] : headerValues(event, header);
  const [country = ''] = values;
  return values.length === 1 && /^[A-Z]{2}$/.test(country) && !noCountry.test(country) ? country : null;
}

export interface UserAgent {
  readonly browser: string | null;
  readonly system: string | null;
}

/** The header is untrusted: longer or non-printable values are ignored. */
const readable = /^[ -~]{1,512}$/;

/** The first match wins, because browsers also list the browsers that they are compatible with. */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chromium|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^Wget\//, 'Wget'],
  [/^PostmanRuntime\//, 'Postman'],
  [/^(?:python-requests|python-httpx|Python-urllib|Python)\b/, 'Python'],
  [/^(?:node|undici)\b/, 'Node.js'],
  [/^Go-http-client\//, 'Go'],
];

const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iOS'],
  [/\biPad\b/, 'iPadOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\b(?:Linux|X11)\b/, 'Linux'],
];

export function userAgentOf(header: string | undefined): UserAgent {
  if (header === undefined || !readable.test(header)) return { browser: null, system: null };
  return { browser: nameIn(browsers, header), system: nameIn(systems, header) };
}

function nameIn(table: readonly (readonly [RegExp, string])[], header: string): string | null {
  return table.find(([mark]) => mark.test(header))?.[1] ?? null;
}
