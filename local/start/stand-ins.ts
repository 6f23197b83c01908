import * as v from 'valibot';
import type { ContainerFamily } from '#contract/inference/models.ts';
import { ModelEndpoints } from '#contract/platform/model-endpoints.ts';
import { type DynamoProxyOptions, startDynamoProxy } from '../dynamodb/dynamodb-proxy.ts';
import type { MailStore } from '../mail/mail-store.ts';
import { startSes } from '../mail/ses.ts';
import { startCarrier } from '../messages/carrier.ts';
import type { PhoneStore } from '../messages/phone-store.ts';
import { receiptPlayer, type Receipts } from '../messages/receipts.ts';
import type { FileStore } from '../s3/file-store.ts';
import { startS3 } from '../s3/server.ts';
import { asyncInference, type Inference } from '../sagemaker/async-inference.ts';
import { type Engine } from '../sagemaker/engine.ts';
import { startSageMaker } from '../sagemaker/server.ts';
import type { Closers, Part } from '../shared/closers.ts';
import type { Faults } from '../shared/faults.ts';
import type { Pending } from '../shared/pending.ts';
import { Problem } from '../shared/problems.ts';
import type { QueueStore } from '../sqs/queue-store.ts';
import { startSqs } from '../sqs/server.ts';
import { archiveBucket, type Endpoints, type ExternalEndpoints, longAudio } from './environment.ts';
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
  /** The ledger's closed months. */
  readonly archive: FileStore;
  readonly pageOrigins: readonly string[];
  /** Receives bounces and complaints from the SES stand-in, receipts from that of the carrier, and the ends of asynchronous inference. */
  readonly publish: (event: unknown) => Promise<void>;
  /** What is to be inferred, and receipts that are to come. */
  readonly inferences: Pending<Inference>;
  readonly receipts: Pending<Receipts>;
}

/** Long enough to see a message sent before it is delivered. */
const usualReceiptDelayMs = 1500;

export interface StandIns {
  readonly endpoints: Endpoints;
  /** Goes on with what the process before has left, once its ends can be received. */
  readonly resume: () => Promise<void>;
}

/** Starts what stands in for AWS, except for what the person runs elsewhere, and gives the addresses of all. */
export async function startStandIns(options: StandInOptions, closers: Closers): Promise<StandIns> {
  const { proxy, external, faults, mails, phones, queues, engine, now, files, inferences, pageOrigins } = options;
  const { archive, publish, receiptDelayMs = usualReceiptDelayMs } = options;
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
    pending: inferences,
    family,
    publish,
  });
  closers.add(jobs);
  const receipts = receiptPlayer({ pending: options.receipts, receiptDelayMs, now, publish });
  closers.add(receipts);
  const secret = () => process.env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const [dynamodb, ses, sagemaker, messaging, sqs, s3] = await Promise.all([
    external.dynamodb ?? started(startDynamoProxy(proxy)),
    external.ses ?? started(startSes({ mails, faults, now, onFeedback: (event) => void publish(event) })),
    external.sagemaker ?? started(startSageMaker({ engine, faults, endpoints, jobs })),
    external.messaging ?? started(startCarrier({ phones, faults, receipts, now })),
    started(startSqs(queues)),
    started(
      startS3({
        store: files,
        bucket: longAudio.bucket,
        others: { [archiveBucket]: archive },
        secret,
        now,
        pageOrigins,
      }),
    ),
  ]);
  const resume = async () => void (await Promise.all([jobs.resume(), receipts.resume()]));
  return { endpoints: { dynamodb, ses, sagemaker, messaging, sqs, s3 }, resume };
}

/** The endpoints that the functions will call, so that a person can see each family of containers at work. */
function endpointFamilies(setting = '{}'): ReadonlyMap<string, ContainerFamily> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ModelEndpoints), setting);
  if (!parsed.success) throw new Problem(`MODEL_ENDPOINTS cannot be used (${parsed.issues[0].message}).`, 2);
  return new Map([...parsed.output.values()].map(({ endpoint, family }) => [endpoint, family]));
}
