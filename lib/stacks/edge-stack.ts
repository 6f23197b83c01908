import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Duration, NestedStack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  type ResponseHeadersCorsBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  dashboardHeaders,
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
import { allRoutes } from '#contract/routes.ts';
import { type OriginVerification, callerHeader } from '#lib/constructs/api/firewall.ts';
import type { ServiceApi } from '#lib/constructs/api/rest-api.ts';
import { countryHeader, sessionCookie } from '#lib/shared-props.ts';
import { FilesBucket } from '#lib/stacks/pages-stack.ts';
import type { Stage } from '#lib/stage.ts';

export interface EdgeStackProps {
  readonly stage: Stage;
  readonly domain: { readonly name: string; readonly certificateArn: string } | null;
  readonly api: ServiceApi;
  /** Upload URL for long audio. */
  readonly audio: IBucket;
  /** Folder with the dashboard's build, whose files have routes at the edge. Null: no dashboard. */
  readonly dashboard: string | null;
  /** Header that the firewall before the API requires. */
  readonly originVerification: OriginVerification | undefined;
}

/** Exceeds the gateway's maximum timeout for a buffered response, 91 s for embeddings. */
const originReadTimeout = Duration.seconds(95);

/**
 * One host for dashboard and API, so that session cookies are same-site. Nested, because functions have its name in
 * their environment.
 */
export class EdgeStack extends NestedStack {
  /** Origin of the dashboard. */
  readonly origin: string;
  /** CNAME target of a custom domain. */
  readonly host: string;
  /** Bucket of the dashboard and API reference. */
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    const { stage, domain, api, audio, dashboard, originVerification } = props;
    super(scope, id, { description: 'Text AI platform: edge' });
    const pageHeaders = dashboardHeaders({
      google: stage.googleClientId !== null,
      storage: `https://${audio.bucketRegionalDomainName}`,
    });
    this.bucket = new FilesBucket(this, 'Files').bucket;
    const files = {
      origin: S3BucketOrigin.withOriginAccessControl(this.bucket),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      compress: true,
      functionAssociations: [
        this.#at(
          FunctionEventType.VIEWER_REQUEST,
          'Pages',
          pagesCode(dashboard, { planTable: stage.planTable, payments: stage.payments !== null }),
        ),
        this.#at(FunctionEventType.VIEWER_RESPONSE, 'PageStatus', pageStatusCode),
      ],
    };
    const toApi: BehaviorOptions = {
      origin: new HttpOrigin(api.origin.host, {
        originPath: api.origin.path,
        readTimeout: originReadTimeout,
        keepaliveTimeout: Duration.seconds(60),
        ...(originVerification && {
          customHeaders: { [originVerification.header]: originVerification.value.unsafeUnwrap() },
        }),
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // A key sent without TLS is already compromised, so HTTP requests are rejected rather than redirected.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      compress: false,
      responseHeadersPolicy: securityHeaders(this, 'ApiHeaders', apiHeaders),
      functionAssociations: [this.#at(FunctionEventType.VIEWER_REQUEST, 'Caller', callerCode)],
    };
    const toInference: BehaviorOptions =
      stage.corsOrigins.length === 0
        ? toApi
        : {
            ...toApi,
            responseHeadersPolicy: securityHeaders(this, 'InferenceHeaders', apiHeaders, corsAtEdge(stage.corsOrigins)),
          };
    const toSignIn: BehaviorOptions = { ...toApi, cachePolicy: this.#withCountry() };
    const signIns = allRoutes.filter(({ opensSession }) => opensSession).map(({ path }) => [path, toSignIn] as const);
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Text AI platform, ${stage.name}`,
      defaultBehavior: { ...files, responseHeadersPolicy: securityHeaders(this, 'PageHeaders', pageHeaders) },
      additionalBehaviors: {
        ...Object.fromEntries(signIns),
        '/api/*': toApi,
        '/v1/*': toInference,
        '/openai/*': toInference,
        '/anthropic': toInference,
        '/anthropic/*': toInference,
      },
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain && {
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      }),
    });
    this.host = distribution.distributionDomainName;
    this.origin = `https://${domain?.name ?? this.host}`;
  }

  /**
   * Adds the caller's country to a request. The origin request policy for API Gateway cannot, because CloudFront's own
   * headers are not viewer headers; headers in a cache policy are forwarded too. Used only for paths with POST, whose
   * responses CloudFront never caches.
   */
  #withCountry(): CachePolicy {
    return new CachePolicy(this, 'Country', {
      comment: 'Names the country to the API, for paths of POSTs',
      headerBehavior: CacheHeaderBehavior.allowList(countryHeader),
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(1),
    });
  }

  #at(eventType: FunctionEventType, id: string, code: string) {
    const fn = new EdgeFunction(this, id, { code: FunctionCode.fromInline(code), runtime: FunctionRuntime.JS_2_0 });
    return { function: fn, eventType };
  }
}

/** Runs at the edge on every API request: overwrites the caller's address header with the viewer's address. */
const callerCode = `function handler(event) {
  event.request.headers['${callerHeader}'] = { value: event.viewer.ip };
  return event.request;
}`;

/** Set by `pagesCode`, read by `pageStatusCode`: marks a navigation to an unknown address. */
const unknownHeader = 'x-unknown-page';

/** Runs at the edge on responses to the same requests: sets status 404 for an unknown address. */
const pageStatusCode = `function handler(event) {
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
function securityHeaders(
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
const corsAtEdge = (origins: CorsOrigins): ResponseHeadersCorsBehavior => ({
  accessControlAllowCredentials: false,
  accessControlAllowHeaders: ['*'],
  accessControlAllowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  accessControlAllowOrigins: [origins].flat(),
  accessControlExposeHeaders: ['*'],
  accessControlMaxAge: Duration.seconds(preflightSeconds),
  originOverride: false,
});

/** API responses load nothing and cannot be framed. */
const apiHeaders = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };
