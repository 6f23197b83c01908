import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ContainerFamily } from '#contract/offer/offer.ts';
import type { FaultOf, Faults } from '../shared/faults.ts';
import { BodyTooLarge, listen, listener, type Loopback, readBody } from '../shared/loopback.ts';
import { asContainer, speechRoute } from './containers/dialect.ts';
import { containerError, type Engine, type EngineReply } from './engine.ts';
import {
  type Call,
  internalFailure,
  sendReply,
  sendServiceError,
  type ServiceError,
  serviceUnavailable,
  throttling,
  unknownOperation,
  validationError,
} from './reply.ts';

export interface SageMakerOptions {
  readonly engine: Engine;
  readonly faults: Faults;
  /** Endpoints by name, with the container family that each simulates. Any other name is a ValidationError. */
  readonly endpoints: ReadonlyMap<string, ContainerFamily>;
  readonly jobs?: { accept(req: IncomingMessage, res: ServerResponse, endpoint: string): Promise<void> };
}

/** SageMaker's maximum request size (SageMaker runtime API, InvokeEndpoint). */
const bodyLimitBytes = 25 * 1024 * 1024;

/** Chunks sent before a stream is cut: the role and some words. */
const chunksBeforeCut = 3;

/**
 * Stands in for the SageMaker runtime: `POST /endpoints/{name}/invocations` and `…/invocations-response-stream`. All
 * endpoints share one engine.
 */
export function startSageMaker({ engine, faults, endpoints, jobs }: SageMakerOptions): Promise<Loopback> {
  return listen(
    listener(async (req, res) => {
      const [, async] = /^\/endpoints\/([A-Za-z0-9-]{1,63})\/async-invocations$/.exec(req.url ?? '') ?? [];
      if (jobs && async !== undefined && req.method === 'POST') return jobs.accept(req, res, async);
      const signal = disconnectSignal(res);
      const call = parseCall(req);
      if (!call) return sendServiceError(res, unknownOperation(`No operation has the path ${req.url}.`));
      const family = endpoints.get(call.endpoint);
      if (!family) {
        return sendServiceError(res, validationError(`Endpoint ${call.endpoint} of account 000000000000 not found.`));
      }
      const body = await readBytes(req);
      if (body instanceof BodyTooLarge) return sendServiceError(res, { ...validationError(body.message), status: 413 });

      const fault = faults.take('sagemaker', undefined, call.endpoint);
      if (fault === 'hang') return;
      if (fault === 'cut' && !call.stream) return void res.destroy();
      const refusal = faultError(fault);
      if (refusal) return sendServiceError(res, refusal);

      const isRouted = family !== 'omni' || req.headers['x-amzn-sagemaker-custom-attributes'] === speechRoute;
      const played = isRouted ? asContainer(family, fault === 'error' ? failing : engine) : unrouted;
      const reply = await invoke(played, await parsedBody(req, body), signal);
      if (signal.aborted) return;
      if (!reply) return sendServiceError(res, internalFailure('The container exited without a reply.'));
      await sendReply({ res, req, call, reply, signal, ...(fault === 'cut' && { cutAfterChunks: chunksBeforeCut }) });
    }),
  );
}

function parseCall({ method, url = '' }: IncomingMessage): Call | undefined {
  const [, endpoint, tail] = /^\/endpoints\/([A-Za-z0-9-]{1,63})\/(invocations(?:-response-stream)?)$/.exec(url) ?? [];
  if (method !== 'POST' || endpoint === undefined) return undefined;
  return { endpoint, stream: tail !== 'invocations' };
}

async function readBytes(req: IncomingMessage): Promise<Buffer | BodyTooLarge> {
  try {
    return Buffer.from(await readBody(req, bodyLimitBytes));
  } catch (error) {
    if (error instanceof BodyTooLarge) return error;
    throw error;
  }
}

export function disconnectSignal(res: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  res.on('close', () => {
    if (!res.writableFinished) disconnected.abort(new Error('The client disconnected.'));
  });
  return disconnected.signal;
}

function faultError(fault: FaultOf<'sagemaker'> | undefined): ServiceError | undefined {
  if (fault === 'throttle') return throttling;
  return fault === 'unavailable' ? serviceUnavailable : undefined;
}

const failing: Engine = {
  transcribe: async () => containerError(500, 'Simulated failure of the model.'),
  invoke: async () => containerError(500, 'Simulated failure of the model.'),
  speak: async () => containerError(500, 'Simulated failure of the model.'),
};

const unrouted: Engine = { invoke: async () => containerError(400, `The custom attributes must be ${speechRoute}.`) };

/** Undefined if the engine rejects. */
async function invoke(engine: Engine, body: unknown, signal: AbortSignal): Promise<EngineReply | undefined> {
  if (body === undefined) return containerError(400, 'The body does not match its Content-Type.');
  return engine.invoke(body, signal).catch(() => undefined);
}

async function parsedBody({ headers }: IncomingMessage, body: Buffer): Promise<unknown> {
  const contentType = headers['content-type'] ?? '';
  try {
    if (!contentType.startsWith('multipart/form-data')) return JSON.parse(body.toString());
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}
