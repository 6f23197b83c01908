import * as v from 'valibot';
import { checkOwners } from './deployable.ts';
import { type PipelineInput, PipelineSettings } from './settings.ts';
import { Stage, type StageInput } from './stage.ts';

/** Deploys with these defaults; a deployment sets its own (docs/deploy.md). */
export const live: StageInput = {
  name: 'live',
  env: null,
  frontDoor: { kind: 'edge', domain: null },
  mail: { sender: 'no-reply@example.com', identityOwner: 'live' },
  messages: {
    countries: [],
    maxPriceUsd: 0.15,
    origination: null,
    perNumberPerHour: 10,
    perAccountPerDay: 1000,
    perRangePerHour: 50,
  },
  gatewayLogsOwner: 'live',
  googleClientId: null,
  models: {
    endpoints: {},
    hosted: {},
    encoders: {},
    longAudio: null,
  },
  planTable: 'listing',
  networkLimits: 'on',
  sessions: { idleHours: 12, maxDays: 30 },
  fastPath: 'on',
  firewall: { requests: 60_000, keyRequests: 30_000, signIns: 100 },
  throttle: { requestsPerSecond: 2000, burst: 1000 },
  alarms: { email: null, monthlyBudgetUsd: null, claimedConcurrency: 800 },
  logRetentionDays: 90,
  provisionedConcurrency: {},
  reservedConcurrency: {
    'project-ledger': 50,
    'record-requests': 20,
    'release-holds': 20,
    'send-mail': 10,
    'sweep-meters': 2,
  },
  rollout: 'canary',
  accountsKey: 'own',
  canary: null,
};

const stages: readonly StageInput[] = [
  live,
  { ...live, name: 'staging', logRetentionDays: 14, rollout: 'all-at-once' },
];

/** Repository, branch, connection and stages of the pipeline. Null: no pipeline. */
const pipeline: PipelineInput | null = null;

/** Returns the validated stage with this name. Errors name the invalid setting. */
export function stageNamed(name: string): Stage {
  const stage = stages.find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`no stage is called ${name}; there are: ${stages.map((known) => known.name).join(', ')}`);
  const parsed = parseStage(stage);
  checkOwners(parsed, stages.map(parseStage));
  return parsed;
}

export const parseStage = (stage: unknown): Stage => checked(Stage, stage, 'the stage');

/** Returns the validated settings of the pipeline. Null: no pipeline. */
export const pipelineSettings = (settings: PipelineInput | null = pipeline): PipelineSettings | null =>
  settings && checked(PipelineSettings, settings, 'the pipeline');

function checked<S extends v.GenericSchema>(schema: S, value: unknown, name: string): v.InferOutput<S> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const broken = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? name} ${issue.message}`);
  throw new Error(`${name} cannot be deployed: ${broken.join('; ')}`);
}
