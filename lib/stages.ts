import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What differs between deployments of the platform. */
export interface Stage {
  /** Part of every stack's name, so that stages may share an account. */
  readonly name: string;
  /** Scheme and host that callers use: in mail links, and where the session cookie belongs. */
  readonly publicOrigin: string;
  /** Address that mails come from; SES has verified its domain. */
  readonly mailSender: string;
  /** SageMaker endpoint by model id, where it is not the catalogue's. */
  readonly modelEndpoints: Readonly<Record<string, string>>;
  /** How long logs are kept. */
  readonly logRetentionDays: RetentionDays;
  /** Account and region; absent: those of whoever deploys. */
  readonly env?: { readonly account: string; readonly region: string };
}

/** Synthesises as it is; a deployment puts in its own origin, sender and endpoints. */
const stages: readonly Stage[] = [
  {
    name: 'live',
    publicOrigin: 'https://example.com',
    mailSender: 'no-reply@example.com',
    modelEndpoints: {},
    logRetentionDays: RetentionDays.THREE_MONTHS,
  },
];

export function stageNamed(name: string): Stage {
  const stage = stages.find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`no stage is called ${name}; there are: ${stages.map((known) => known.name).join(', ')}`);
  return stage;
}
