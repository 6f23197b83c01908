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
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { dashboardHeaders } from '#contract/dashboard-config.ts';
import { allRoutes } from '#contract/routes.ts';
import type { OriginVerification } from '#lib/constructs/api/firewall.ts';
import type { ServiceApi } from '#lib/constructs/api/rest-api.ts';
import {
  apiHeaders,
  callerCode,
  corsAtEdge,
  pagesCode,
  pageStatusCode,
  securityHeaders,
} from '#lib/constructs/edge/edge-functions.ts';
import { countryHeader } from '#lib/shared-props.ts';
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
