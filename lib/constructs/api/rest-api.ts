import { Duration, NestedStack, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  Resource,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import { Construct, type IDependable } from 'constructs';
import { errorEnvelope } from '#contract/http/format.ts';
import { binaryTypesOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import { allRoutes } from '#contract/routes.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { createLogGroup } from '#lib/shared-props.ts';
import { type Stage, traced } from '#lib/stage.ts';

export interface ServiceApiProps {
  /** Sets the API's name, its throttle and the retention of its access log. */
  readonly stage: Stage;
  /** Disables response streaming, for a front door that cannot stream. */
  readonly buffered: boolean;
}

/**
 * Paths in a nested stack, which keeps the API stack far below its resource limit. Add new ones here. Earlier ones stay in
 * the API stack: API Gateway refuses to create a path in one stack while it exists in another.
 */
const nestedPaths = [
  '/api/organizations',
  '/api/invitations',
  '/api/auth/totp',
  '/api/auth/passkeys',
  '/api/auth/second-factor',
  '/api/keys/{id}/content',
] as const;

/** The API's only deployment stage. */
const apiStage = 'live';

/** Maximum integration timeout of API Gateway for a buffered response. */
const maxBufferedSeconds = 29;

/**
 * Throttle of routes that anybody may call with a signed body, because the function verifies the signature. Stripe
 * repeats a refused event for three days.
 */
const signedBodyThrottle = ({ throttle: { requestsPerSecond, burst } }: Stage) => ({
  throttlingRateLimit: Math.min(50, requestsPerSecond),
  throttlingBurstLimit: Math.min(100, burst),
});

/**
 * Excludes query string, headers and body, which contain credentials and email links. `sourceIp` is the connecting
 * address; behind the edge this is CloudFront. The function's own log line contains the caller's address.
 */
const accessLogFields = {
  requestId: '$context.requestId',
  at: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  path: '$context.path',
  status: '$context.status',
  errorResponseType: '$context.error.responseType',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationMs: '$context.integration.latency',
};

/** The front door: a regional REST API with the attached routes, and an error envelope for everything else. */
export class ServiceApi extends Construct {
  readonly #api: RestApi;
  /** Origin for CloudFront: host, and the path before the API's own paths. */
  readonly origin: { readonly host: string; readonly path: string };
  readonly #buffered: boolean;
  readonly #resources = new Set<IResource>();
  readonly #paths: NestedStack;

  constructor(scope: Construct, id: string, { stage, buffered }: ServiceApiProps) {
    super(scope, id);
    const logs = createLogGroup(this, 'AccessLogs', stage);
    const binaryMediaTypes = [...binaryTypesOf(allRoutes)];
    this.#buffered = buffered;
    this.#paths = new NestedStack(this, 'Paths', { description: 'Text AI platform: further paths of the API' });
    this.#api = new RestApi(this, 'RestApi', {
      restApiName: `text-ai-${stage.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      ...(binaryMediaTypes.length > 0 && { binaryMediaTypes }),
      // All stages of the account share one role (lib/stacks/data-stack.ts).
      cloudWatchRole: false,
      deployOptions: {
        stageName: apiStage,
        tracingEnabled: true,
        throttlingRateLimit: stage.throttle.requestsPerSecond,
        throttlingBurstLimit: stage.throttle.burst,
        methodOptions: Object.fromEntries(
          allRoutes
            .filter(({ rawBody }) => rawBody)
            .map(({ path, method }) => [`${path}/${method}`, signedBodyThrottle(stage)]),
        ),
        accessLogDestination: new LogGroupLogDestination(logs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    this.#sample(`text-ai-${stage.name}`);
    const forPages = stage.frontDoor.kind === 'gateway' && stage.corsOrigins.length > 0;
    envelopeGatewayResponses(this.#api, { forPages });
    const { region, urlSuffix } = Stack.of(this);
    const host = `${this.#api.restApiId}.execute-api.${region}.${urlSuffix}`;
    this.origin = { host, path: `/${apiStage}` };
  }

  /** X-Ray's default rule would also trace the first request of each second, across all stages of the account. */
  #sample(name: string): void {
    new CfnSamplingRule(this, 'Sampling', {
      samplingRule: {
        ruleName: name,
        priority: 1000,
        fixedRate: traced,
        reservoirSize: 0,
        serviceName: `${name}/${apiStage}`,
        serviceType: 'AWS::ApiGateway::Stage',
        resourceArn: '*',
        host: '*',
        httpMethod: '*',
        urlPath: '*',
        version: 1,
      },
    });
  }

  /** ARN of the deployment stage, for AWS WAF. */
  get stageArn(): string {
    return this.#api.deploymentStage.stageArn;
  }

  /** Depend on this to wait until all paths lead to their functions. */
  get deployed(): IDependable {
    return this.#api.deploymentStage;
  }

  /**
   * The permission is in the function's stack: the permissions of all routes, together with the methods, would exceed
   * the resource limit of this stack.
   */
  attach({ id, path, method, timeoutSeconds, streaming }: Route, handler: IFunction): void {
    const streams = streaming && !this.#buffered;
    const seconds = streams ? timeoutSeconds + 1 : Math.min(timeoutSeconds + 1, maxBufferedSeconds);
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    handler.addPermission('Api', { principal, sourceArn: this.#api.arnForExecuteApi() });
    const permitted = LambdaFunction.fromFunctionAttributes(this, id, {
      functionArn: handler.functionArn,
      sameEnvironment: false,
      skipPermissions: true,
    });
    const integration = new LambdaIntegration(permitted, {
      timeout: Duration.seconds(seconds),
      scopePermissionToMethod: false,
      ...(streams && { responseTransferMode: ResponseTransferMode.STREAM }),
    });
    this.#resourceFor(path).addMethod(method, integration);
  }

  #resourceFor(path: string): IResource {
    const scope = nestedPaths.some((start) => path === start || path.startsWith(`${start}/`)) ? this.#paths : undefined;
    let resource: IResource = this.#api.root;
    for (const pathPart of path.split('/').filter(Boolean)) {
      const id = `${resource.path}/${pathPart}`.replaceAll('/', '-');
      const found = resource.getResource(pathPart);
      resource =
        found ?? (scope ? new Resource(scope, id, { parent: resource, pathPart }) : resource.addResource(pathPart));
      this.#resources.add(resource);
    }
    return resource;
  }

  /** Sends every other path and method to this function. Call it last. */
  attachFallback(handler: IFunction): void {
    const { root } = this.#api;
    const prefixes = [...this.#resources].filter(({ parentResource }) => parentResource === root);
    const rest = [root, ...prefixes].map((prefix) => prefix.addResource('{proxy+}'));
    // One permission per function. One per method would exceed the 20 KB of a resource policy, and would refer to the
    // API's stage, which is created after the functions.
    const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
    const answered = [...this.#resources].filter((resource) => !isOnlyPrefix(resource));
    for (const resource of [root, ...answered, ...rest]) resource.addMethod('ANY', integration);
  }

  urlOf(path: `/${string}`): string {
    return this.#api.urlForPath(path);
  }
}

/**
 * A path below `/api` that has no operation, only longer paths. API Gateway's own 404 has the same envelope, which
 * saves a method, which is a resource of the stack.
 */
const isOnlyPrefix = ({ path }: IResource): boolean =>
  path.startsWith('/api/') && !allRoutes.some((route) => route.path === path);

interface GatewayResponse {
  readonly type: ResponseType;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
}

const nowhere = { code: 'NOT_FOUND', detail: 'There is nothing at this path.' } as const;
const ours = { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' } as const;
const malformed = { code: 'INVALID_FORMAT', detail: 'The request is malformed.' } as const;
const unknownKey = { code: 'INVALID_API_KEY', detail: 'The credential is missing or not valid.' } as const;

/**
 * Responses that API Gateway returns without invoking a function. For an unmatched path it expects a signature, so its
 * errors about tokens and signatures mean that the path does not exist. A throttled function (429 of Invoke) is an
 * integration failure, for which API Gateway would return 504 (AWS "Gateway response types for API Gateway").
 */
const responses: readonly GatewayResponse[] = [
  { type: ResponseType.ACCESS_DENIED, ...nowhere },
  { type: ResponseType.EXPIRED_TOKEN, ...nowhere },
  { type: ResponseType.INVALID_SIGNATURE, ...nowhere },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...nowhere },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...nowhere },
  { type: ResponseType.UNAUTHORIZED, ...unknownKey },
  { type: ResponseType.INVALID_API_KEY, ...unknownKey },
  { type: ResponseType.BAD_REQUEST_BODY, ...malformed },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, ...malformed },
  { type: ResponseType.DEFAULT_4XX, ...malformed },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 10 MB.' },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: 'The body must be application/json.',
  },
  {
    type: ResponseType.WAF_FILTERED,
    code: 'INSUFFICIENT_PERMISSIONS',
    detail: 'The firewall blocked this request.',
  },
  { type: ResponseType.THROTTLED, ...tooMany(1) },
  { type: ResponseType.QUOTA_EXCEEDED, ...tooMany(60) },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 'MODEL_TIMEOUT', detail: 'The model did not respond in time.' },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'SERVICE_UNAVAILABLE',
    detail: 'The service is busy. Try again.',
    retryAfterSeconds: 1,
  },
  { type: ResponseType.API_CONFIGURATION_ERROR, ...ours },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...ours },
  { type: ResponseType.AUTHORIZER_FAILURE, ...ours },
  { type: ResponseType.DEFAULT_5XX, ...ours },
];

function tooMany(retryAfterSeconds: number) {
  const detail = `The service takes no more requests at the moment; try again in ${retryAfterSeconds} s.`;
  return { code: 'RATE_LIMIT_EXCEEDED', detail, retryAfterSeconds } as const;
}

/**
 * Wraps every response that API Gateway itself returns in the envelope of the specification. With `forPages`, pages of
 * any origin may read these errors, which contain no data. The edge adds the header itself, for its allowed origins.
 */
function envelopeGatewayResponses(api: RestApi, { forPages }: { readonly forPages: boolean }): void {
  for (const { type, code, detail, retryAfterSeconds } of responses) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(errorStatus[code]),
      templates: { 'application/json': JSON.stringify(errorEnvelope(code, detail)) },
      responseHeaders: {
        'x-request-id': 'context.requestId',
        'Cache-Control': "'no-store'",
        ...(forPages && { 'Access-Control-Allow-Origin': "'*'" }),
        ...(retryAfterSeconds !== undefined && { 'Retry-After': `'${retryAfterSeconds}'` }),
      },
    });
  }
}
