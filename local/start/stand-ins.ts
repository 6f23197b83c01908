import * as v from 'valibot';
import type { ContainerFamily } from '#contract/inference/models.ts';
import { ModelEndpoints } from '#contract/platform/model-endpoints.ts';
import { type DynamoProxyOptions, startDynamoProxy } from '../dynamodb/dynamodb-proxy.ts';
import type { MailStore } from '../mail/mail-store.ts';
import { startSes } from '../mail/ses.ts';
import { startCarrier } from '../messages/carrier.ts';
import type { PhoneStore } from '../messages/phone-store.ts';
import type { FileStore } from '../s3/file-store.ts';
import { startS3 } from '../s3/server.ts';
import { asyncInference } from '../sagemaker/async-inference.ts';
import type { AsyncQueue } from '../sagemaker/async-queue.ts';
import { type Engine, startSageMaker } from '../sagemaker/server.ts';
import type { Closers, Part } from '../shared/closers.ts';
import type { Faults } from '../shared/faults.ts';
import { Problem } from '../shared/problems.ts';
import type { QueueStore } from '../sqs/queue-store.ts';
import { startSqs } from '../sqs/server.ts';
import { type Endpoints, type ExternalEndpoints, longAudio } from './environment.ts';
import type { ServiceOptions } from './service-options.ts';

export interface StandInOptions {
  readonly proxy: DynamoProxyOptions;
  readonly external: ExternalEndpoints;
  readonly faults: Faults;
  readonly mails: MailStore;
  readonly phones: PhoneStore;
  readonly queues: QueueStore;
  readonly engine: Engine;
  readonly receiptDelayMs: ServiceOptions['receiptDelayMs'];
  readonly now: () => number;
  /** Files of long audio, and the origins of the dashboard, which sends them. */
  readonly files: FileStore;
  readonly pageOrigins: readonly string[];
  /** Receives bounces and complaints from the SES stand-in, and receipts from that of the carrier. */
  readonly onFeedback: (event: unknown) => void;
  /** Jobs of asynchronous inference, and who receives their ends. */
  readonly inferences: AsyncQueue;
  readonly onInference: (event: unknown) => Promise<void>;
}

/** Long enough to see a message sent before it is delivered. */
const usualReceiptDelayMs = 1500;

export interface StandIns {
  readonly endpoints: Endpoints;
  /** Goes on with the jobs of the process before, once their ends can be received. */
  readonly resumeJobs: () => Promise<void>;
}

/** Starts what stands in for AWS, except for what the person runs elsewhere, and gives the addresses of all. */
export async function startStandIns(options: StandInOptions, closers: Closers): Promise<StandIns> {
  const { proxy, external, faults, mails, phones, queues, engine, now, files, inferences, pageOrigins } = options;
  const { onFeedback, onInference, receiptDelayMs = usualReceiptDelayMs } = options;
  const endpoints = endpointFamilies(process.env['MODEL_ENDPOINTS']);
  const started = async (starting: Promise<Part & { url: string }>): Promise<string> => {
    const part = await starting;
    closers.add(part);
    return part.url;
  };
  const family = endpoints.get('svc-transcribe') ?? 'whisperx';
  const jobs = asyncInference({
    ...longAudio,
    engine,
    faults,
    store: files,
    queue: inferences,
    family,
    publish: onInference,
  });
  closers.add(jobs);
  const secret = () => process.env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const [dynamodb, ses, sagemaker, messaging, sqs, s3] = await Promise.all([
    external.dynamodb ?? started(startDynamoProxy(proxy)),
    external.ses ?? started(startSes({ mails, faults, now, onFeedback })),
    external.sagemaker ?? started(startSageMaker({ engine, faults, endpoints, jobs })),
    external.messaging ?? started(startCarrier({ phones, faults, receiptDelayMs, now, onReceipt: onFeedback })),
    started(startSqs(queues)),
    started(startS3({ store: files, bucket: longAudio.bucket, secret, now: Date.now, pageOrigins })),
  ]);
  return { endpoints: { dynamodb, ses, sagemaker, messaging, sqs, s3 }, resumeJobs: () => jobs.resume() };
}

/** The endpoints that the functions will call, so that a person can see each family of containers at work. */
function endpointFamilies(setting = '{}'): ReadonlyMap<string, ContainerFamily> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ModelEndpoints), setting);
  if (!parsed.success) throw new Problem(`MODEL_ENDPOINTS cannot be used (${parsed.issues[0].message}).`, 2);
  return new Map([...parsed.output.values()].map(({ endpoint, family }) => [endpoint, family]));
}
