import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { ContainerFamily } from '#contract/offer/offer.ts';
import type { FileStore } from '../s3/file-store.ts';
import type { Pending } from '../shared/data-folder.ts';
import type { FaultOf, Faults } from '../shared/faults.ts';
import { sendJson } from '../shared/loopback.ts';
import { asContainer } from './containers/dialect.ts';
import { type Engine, type EngineReply, single } from './engine.ts';
import { sendServiceError, serviceUnavailable, throttling, validationError } from './reply.ts';

/** `inputLocation` is the payload's URI, and `key` its key in the bucket. */
export const Inference = v.object({
  inferenceId: v.string(),
  inputLocation: v.string(),
  key: v.string(),
  contentType: v.string(),
  endpoint: v.string(),
});
export type Inference = v.InferOutput<typeof Inference>;
type AsyncJob = Inference & { readonly id: string };

export interface AsyncOptions {
  readonly engine: Engine;
  readonly faults: Faults;
  readonly store: FileStore;
  readonly pending: Pending<Inference>;
  readonly bucket: string;
  /** Endpoint for asynchronous requests, and the container family that it simulates. */
  readonly endpoint: string;
  readonly family: ContainerFamily;
  /** Receives SNS notifications. Resolves when one is handled or discarded. */
  readonly publish: (event: unknown) => Promise<void>;
}

const maxQueued = 1000;

/**
 * Stands in for asynchronous inference: reads each job's file from the bucket, runs one job at a time, stores the
 * result in the bucket and publishes an SNS notification (AWS "Asynchronous inference"). The next process continues
 * queued jobs.
 */
export function asyncInference({ engine, faults, store, pending, bucket, endpoint, family, publish }: AsyncOptions) {
  let last: Promise<void> = Promise.resolve();
  let queued = 0;
  const ending = new AbortController();

  async function accept(req: IncomingMessage, res: ServerResponse, name: string): Promise<void> {
    const fault = faults.take('sagemaker', (one) => one === 'throttle' || one === 'unavailable', name);
    if (fault === 'throttle') return sendServiceError(res, throttling);
    if (fault === 'unavailable') return sendServiceError(res, serviceUnavailable);
    if (name !== endpoint)
      return sendServiceError(res, validationError(`Endpoint ${name} of account 000000000000 not found.`));
    const header = (part: string) => String(req.headers[`x-amzn-sagemaker-${part}`] ?? '');
    const inputLocation = header('inputlocation');
    const start = `s3://${bucket}/`;
    if (!inputLocation.startsWith(start))
      return sendServiceError(res, validationError('The input location must be in this bucket.'));
    if (queued >= maxQueued) return sendServiceError(res, throttling);
    const inference = {
      inferenceId: header('inference-id') || randomUUID(),
      inputLocation,
      key: inputLocation.slice(start.length),
      contentType: header('content-type'),
      endpoint: name,
    };
    const job = { id: await pending.add(inference), ...inference };
    enqueue(
      job,
      faults.take('sagemaker', (one) => one === 'error' || one === 'hang', name),
    );
    res.setHeader('x-amzn-sagemaker-outputlocation', `s3://${bucket}/${replyOf(job)}`);
    res.setHeader('x-amzn-sagemaker-failurelocation', `s3://${bucket}/${failureOf(job)}`);
    sendJson(res, 202, { InferenceId: job.inferenceId });
  }

  function enqueue(job: AsyncJob, fault?: FaultOf<'sagemaker'>): void {
    queued += 1;
    last = last.then(() => run(job, fault)).finally(() => (queued -= 1));
  }

  async function run(job: AsyncJob, fault: FaultOf<'sagemaker'> | undefined): Promise<void> {
    if (ending.signal.aborted || fault === 'hang') return;
    const reply = await invoked(job, fault).catch((): undefined => undefined);
    if (ending.signal.aborted) return;
    const isDone = reply?.kind === 'json' && reply.status < 400;
    const key = isDone ? replyOf(job) : failureOf(job);
    const body = Buffer.from(JSON.stringify(reply?.kind === 'json' ? reply.body : { message: 'The model failed.' }));
    await store.keep(key, 'application/json', await store.draft(single(body), body.length)).catch(() => undefined);
    const handled = publish(notificationOf(job, `s3://${bucket}/${key}`, isDone));
    void handled.then(() => pending.remove(job.id));
  }

  async function invoked(
    { key, contentType }: AsyncJob,
    fault: FaultOf<'sagemaker'> | undefined,
  ): Promise<EngineReply | undefined> {
    const object = await store.find(key);
    if (!object || fault === 'error') return undefined;
    const form = await formOfFile(await openAsBlob(object.path), contentType);
    return asContainer(family, engine).invoke(form, ending.signal);
  }

  return {
    accept,
    async resume(): Promise<void> {
      for (const { name, work } of await pending.left()) enqueue({ id: name, ...work });
    },
    async close(): Promise<void> {
      ending.abort();
      await last;
    },
    settled: async () => last,
  };
}

const replyOf = ({ id }: AsyncJob): string => `replies/${id}.out`;
const failureOf = ({ id }: AsyncJob): string => `failures/${id}-error.out`;

/** SageMaker's message in the format in which SNS invokes a function. */
function notificationOf(
  { inferenceId, inputLocation, contentType, endpoint }: AsyncJob,
  location: string,
  isDone: boolean,
) {
  const Message = JSON.stringify({
    awsRegion: 'us-east-1',
    eventTime: new Date().toISOString(),
    receivedTime: new Date().toISOString(),
    invocationStatus: isDone ? 'Completed' : 'Failed',
    ...(!isDone && { failureReason: 'The model failed.' }),
    requestParameters: {
      accept: 'application/json',
      contentType,
      customAttributes: null,
      endpointName: endpoint,
      inputLocation,
    },
    ...(isDone && { responseParameters: { contentType: 'application/json', outputLocation: location } }),
    inferenceId,
    eventVersion: '1.0',
    eventSource: 'aws:sagemaker',
    eventName: 'InferenceResult',
  });
  return {
    Records: [
      { EventSource: 'aws:sns', EventVersion: '1.0', Sns: { MessageId: randomUUID(), Type: 'Notification', Message } },
    ],
  };
}

/** Maximum bytes before the file in a form. */
const maxHeadBytes = 64 * 1024;

/** Parses a form whose last part is the file, which stays on disk regardless of its size. Throws for other forms. */
async function formOfFile(blob: Blob, contentType: string): Promise<FormData> {
  const [, boundary] = /boundary=([^;\s]+)/.exec(contentType) ?? [];
  if (boundary === undefined) throw new Error('the form has no boundary');
  const head = Buffer.from(await blob.slice(0, maxHeadBytes).arrayBuffer()).toString('latin1');
  const form = new FormData();
  let at = 0;
  while (head.startsWith(`--${boundary}\r\n`, at)) {
    const headers = at + boundary.length + 4;
    const begin = head.indexOf('\r\n\r\n', headers) + 4;
    if (begin < 4) throw new Error('a part of the form has no end');
    const lines = head.slice(headers, begin);
    const [, name = ''] = /name="([^"]*)"/.exec(lines) ?? [];
    const [, fileName] = /filename="([^"]*)"/.exec(lines) ?? [];
    if (fileName !== undefined) {
      const [, type = ''] = /Content-Type: *([^\r]+)/i.exec(lines) ?? [];
      const end = blob.size - `\r\n--${boundary}--\r\n`.length;
      form.append(name, new File([blob.slice(begin, end)], fileName, { type }));
      return form;
    }
    const end = head.indexOf(`\r\n--${boundary}`, begin);
    form.append(name, Buffer.from(head.slice(begin, end), 'latin1').toString());
    at = end + 2;
  }
  throw new Error('the form has no file');
}
