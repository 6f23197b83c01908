import * as v from 'valibot';

const Host = v.pipe(v.string(), v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a host name such as text.example.com'));

/** CloudFront takes certificates of this region only (AWS "Requirements for using SSL/TLS certificates with CloudFront"). */
const Certificate = v.pipe(
  v.string(),
  v.regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in us-east-1'),
);

/** How the service is reached. */
export const FrontDoor = v.variant('kind', [
  v.strictObject({
    /** CloudFront: dashboard, API reference and API on one host. */
    kind: v.literal('edge'),
    /** Own host with its certificate; null: the name that CloudFront assigns. */
    domain: v.nullable(v.strictObject({ name: Host, certificateArn: Certificate })),
  }),
  v.strictObject({
    /** The API alone, behind a front of your own. */
    kind: v.literal('gateway'),
    /** Where people reach the dashboard: in mail links, and where sessions belong. */
    publicOrigin: v.pipe(
      v.string(),
      v.regex(/^https?:\/\/[^/]+$/, 'must be a scheme and a host, such as https://text.example.com'),
    ),
    /** Proxies before the gateway that append to X-Forwarded-For. */
    trustedProxies: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
]);
export type FrontDoor = v.InferOutput<typeof FrontDoor>;

/**
 * Where the dashboard's pages come from, for rules of other services. A name that CloudFront assigns is known only once there is a distribution, which
 * comes after them: then it is any name that CloudFront assigns.
 */
export function pageOrigin(frontDoor: FrontDoor): string {
  if (frontDoor.kind === 'gateway') return frontDoor.publicOrigin;
  return `https://${frontDoor.domain?.name ?? '*.cloudfront.net'}`;
}
