import { Duration } from 'aws-cdk-lib';
import { HeadersReferrerPolicy, ResponseHeadersPolicy } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';

/** Headers with a CloudFront setting of their own, and those that each file brings along. */
const managed = new Set(['content-security-policy', 'referrer-policy', 'x-content-type-options', 'cache-control']);

/** Adds headers to every response, with HSTS for a year. */
export function securityHeaders(scope: Construct, id: string, headers: Readonly<Record<string, string>>) {
  const others = Object.entries(headers).filter(([name]) => !managed.has(name));
  const contentSecurityPolicy = headers['content-security-policy'];
  return new ResponseHeadersPolicy(scope, id, {
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

/** A response of the API loads nothing and is not framed (docs/design/reliability.md#security-parameters). */
export const apiHeaders = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };
