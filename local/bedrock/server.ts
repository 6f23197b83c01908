import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Engine, type EngineReply, eventData, refusalIn, vectorsIn } from '../sagemaker/engine.ts';
import { eventFrame } from '../sagemaker/reply.ts';
import { disconnectSignal } from '../sagemaker/server.ts';
import { countTokens } from '../sagemaker/words.ts';
import type { FaultOf, Faults } from '../shared/faults.ts';
import { listen, listener, type Loopback, readBody, sendJson } from '../shared/loopback.ts';
import {
  ConverseBody,
  type ConverseEvent,
  converseEvents,
  converseReply,
  engineBody,
  converseRefusal,
} from './converse.ts';

export interface BedrockOptions {
  readonly engine: Engine;
  readonly faults: Faults;
  /** Ids of models, inference profiles or ARNs. Any other is a ValidationException. */
  readonly models: ReadonlySet<string>;
}

const bodyLimitBytes = 25 * 1024 * 1024;

/** Events sent before a stream is interrupted: the start and some words. */
const eventsBeforeCut = 3;

interface Failure {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const invalid = (message: string): Failure => ({ status: 400, type: 'ValidationException', message });
const throttled: Failure = { status: 429, type: 'ThrottlingException', message: 'Too many requests, please wait.' };
const unavailable: Failure = { status: 503, type: 'ServiceUnavailableException', message: 'Try your request again.' };
const failed: Failure = { status: 500, type: 'InternalServerException', message: 'The system failed.' };

/** Titan's embeddings of one text. */
const TitanBody = v.strictObject({ inputText: v.pipe(v.string(), v.minLength(1)), dimensions: v.optional(v.number()) });

/**
 * Stands in for the runtime of Amazon Bedrock: `POST /model/{id}/converse`, `…/converse-stream` and, for Titan's
 * embeddings, `…/invoke`. All models share one engine.
 */
export function startBedrock({ engine, faults, models }: BedrockOptions): Promise<Loopback> {
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const signal = disconnectSignal(res);
    const [, id = '', operation] = /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/.exec(req.url ?? '') ?? [];
    const model = decodeURIComponent(id);
    const text = (await readBody(req, bodyLimitBytes)).toString();
    if (operation === undefined || req.method !== 'POST')
      return sendFailure(res, { status: 404, type: 'UnknownOperationException', message: 'Unknown operation.' });
    if (!models.has(model)) return sendFailure(res, invalid('The provided model identifier is invalid.'));

    const fault = faults.take('bedrock', undefined, model);
    if (fault === 'hang') return;
    if (fault === 'cut' && operation !== 'converse-stream') return void res.destroy();
    const refused = failureOf(fault);
    if (refused) return sendFailure(res, refused);

    if (operation === 'invoke') return embed(res, JSON.parse(text), signal);
    const body = v.safeParse(ConverseBody, JSON.parse(text));
    if (!body.success) {
      const [issue] = body.issues;
      return sendFailure(
        res,
        invalid(`Value at '${v.getDotPath(issue) ?? ''}' failed to satisfy constraint: ${issue.message}`),
      );
    }
    const broken = converseRefusal(body.output);
    if (broken !== undefined) return sendFailure(res, invalid(broken));
    const isStream = operation === 'converse-stream';
    const reply = await engine.invoke(engineBody(body.output, isStream), signal).catch((): undefined => undefined);
    if (signal.aborted) return;
    const failure = reply ? modelFailure(reply) : failed;
    if (failure) return sendFailure(res, failure);
    res.setHeader('x-amzn-requestid', randomUUID());
    if (reply?.kind === 'json') return sendJson(res, 200, converseReply(reply.body));
    if (reply) await sendStream(res, converseEvents(eventData(reply.chunks)), { signal, isCut: fault === 'cut' });
  }

  async function embed(res: ServerResponse, given: unknown, signal: AbortSignal): Promise<void> {
    const body = v.safeParse(TitanBody, given);
    if (!body.success) return sendFailure(res, invalid(`Malformed input request: ${body.issues[0].message}`));
    const { inputText, dimensions } = body.output;
    const request = { input: [inputText], ...(dimensions !== undefined && { dimensions }) };
    const reply = await engine.invoke(request, signal).catch((): undefined => undefined);
    if (signal.aborted) return;
    const failure = reply ? modelFailure(reply) : failed;
    if (failure || !reply) return sendFailure(res, failure ?? failed);
    const [embedding] = vectorsIn(reply);
    sendJson(res, 200, { embedding, inputTextTokenCount: countTokens(inputText) });
  }

  return listen(listener(handle));
}

function failureOf(fault: FaultOf<'bedrock'> | undefined): Failure | undefined {
  if (fault === 'throttle') return throttled;
  if (fault === 'unavailable') return unavailable;
  return fault === 'error' ? failed : undefined;
}

function modelFailure(reply: EngineReply): Failure | undefined {
  const refused = refusalIn(reply);
  if (!refused) return undefined;
  const { status, message } = refused;
  if (/maximum context length/.test(message)) return invalid('Input is too long for requested model.');
  if (status === 429) return throttled;
  return status < 500 ? invalid(`The model returned the following errors: ${message}`) : failed;
}

function sendFailure(res: ServerResponse, { status, type, message }: Failure): void {
  sendJson(res, status, { message }, { 'x-amzn-requestid': randomUUID(), 'x-amzn-errortype': type });
}

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly isCut: boolean;
}

/** Sends every event immediately, in two pieces. */
async function sendStream(
  res: ServerResponse,
  events: AsyncIterable<ConverseEvent>,
  { signal, isCut }: StreamOptions,
): Promise<void> {
  res.setHeader('content-type', 'application/vnd.amazon.eventstream');
  res.flushHeaders();
  let sent = 0;
  try {
    for await (const { type, body } of events) {
      const bytes = frame({ ':message-type': 'event', ':event-type': type }, body);
      const half = Math.floor(bytes.length / 2);
      if (isCut && sent === eventsBeforeCut) return void res.write(bytes.subarray(0, half), () => res.destroy());
      sent += 1;
      res.write(bytes.subarray(0, half));
      if (!res.write(bytes.subarray(half))) await once(res, 'drain', { signal });
      signal.throwIfAborted();
    }
    res.end();
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    const headers = { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' };
    res.end(frame(headers, { message, originalStatusCode: 500 }));
  }
}

/** A message of AWS's event stream encoding, with JSON. */
export const frame = (headers: Readonly<Record<string, string>>, body: object): Uint8Array =>
  eventFrame({ ...headers, ':content-type': 'application/json' }, Buffer.from(JSON.stringify(body)));
