import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import {
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  type ResponseHeadersCorsBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import {
  apiDocumentPath,
  dashboardPages,
  frontPage,
  hashedAssets,
  notPublished,
  type PricingSettings,
  publicFiles,
} from '#contract/dashboard-config.ts';
import { type CorsOrigins, preflightSeconds } from '#contract/http/cors.ts';
import { errorEnvelope } from '#contract/http/format.ts';
import { callerHeader } from '#lib/constructs/api/firewall.ts';
import { sessionCookie } from '#lib/shared-props.ts';

/** Runs at the edge on every API request: overwrites the caller's address header with the viewer's address. */
export const callerCode = `function handler(event) {
  event.request.headers['${callerHeader}'] = { value: event.viewer.ip };
  return event.request;
}`;

/** Set by `pagesCode`, read by `pageStatusCode`: marks a navigation to an unknown address. */
const unknownHeader = 'x-unknown-page';

/** Runs at the edge on responses to the same requests: sets status 404 for an unknown address. */
export const pageStatusCode = `function handler(event) {
  var response = event.response;
  if (event.request.headers['${unknownHeader}'] && response.statusCode === 200) {
    response.statusCode = 404;
    response.statusDescription = 'Not Found';
  }
  return response;
}`;

/**
 * Runs at the edge on every other request. `/` without a session returns the front page. Pages of the dashboard, and
 * navigations to unknown addresses, return its single HTML document. Any other unknown path returns a 404 envelope.
 */
export function pagesCode(dashboard: string | null, pricing: PricingSettings): string {
  const files = [...filesIn(dashboard), '/config.json'];
  const notFound = JSON.stringify(errorEnvelope('NOT_FOUND', 'There is nothing at this path.'));
  return `var pages = ${JSON.stringify(dashboardPages)};
var files = ${JSON.stringify(files)};
var others = ${JSON.stringify(publicFiles(pricing))};
function handler(event) {
  var request = event.request;
  var path = request.uri;
  var accept = request.headers.accept ? request.headers.accept.value : '';
  delete request.headers['${unknownHeader}'];
  if (path === '/' && !request.cookies['${sessionCookie}']) request.uri = '${frontPage}';
  else if (others[path]) request.uri = others[path];
  else if (pages.includes(path)) request.uri = '/index.html';
  else if (files.includes(path) || path.startsWith('${hashedAssets}')) return request;
  else if (accept.includes('text/html')) {
    request.uri = '/index.html';
    request.headers['${unknownHeader}'] = { value: 'yes' };
  } else return {
    statusCode: 404,
    headers: { 'content-type': { value: 'application/json; charset=utf-8' }, 'cache-control': { value: 'no-store' } },
    body: { encoding: 'text', data: ${JSON.stringify(notFound)} }
  };
  return request;
}`;
}

/** Public files of the build, in addition to its hashed assets. */
const filesIn = (dashboard: string | null) =>
  dashboard === null
    ? ['/index.html', frontPage, apiDocumentPath]
    : readdirSync(dashboard, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `/${relative(dashboard, join(parentPath, name))}`)
        .filter((path) => !path.startsWith(hashedAssets) && !notPublished.includes(path.split('/')[1] ?? ''))
        .toSorted();

/** Headers that CloudFront sets separately or that belong to each file. */
const managed = new Set(['content-security-policy', 'referrer-policy', 'x-content-type-options', 'cache-control']);

/** Adds headers to every response, with HSTS for a year. */
export function securityHeaders(
  scope: Construct,
  id: string,
  headers: Readonly<Record<string, string>>,
  corsBehavior?: ResponseHeadersCorsBehavior,
) {
  const others = Object.entries(headers).filter(([name]) => !managed.has(name));
  const contentSecurityPolicy = headers['content-security-policy'];
  return new ResponseHeadersPolicy(scope, id, {
    ...(corsBehavior && { corsBehavior }),
    securityHeadersBehavior: {
      ...(contentSecurityPolicy && { contentSecurityPolicy: { contentSecurityPolicy, override: true } }),
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
    },
    customHeadersBehavior: {
      customHeaders: others.map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** For the errors of API Gateway and the firewall. Responses of functions have their own headers, which stay. */
export const corsAtEdge = (origins: CorsOrigins): ResponseHeadersCorsBehavior => ({
  accessControlAllowCredentials: false,
  accessControlAllowHeaders: ['*'],
  accessControlAllowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  accessControlAllowOrigins: [origins].flat(),
  accessControlExposeHeaders: ['*'],
  accessControlMaxAge: Duration.seconds(preflightSeconds),
  originOverride: false,
});

/** API responses load nothing and cannot be framed. */
export const apiHeaders = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };
