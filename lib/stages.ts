import * as v from 'valibot';
import { type PipelineInput, PipelineSettings } from './pipeline-settings.ts';
import { Stage, type StageInput } from './stage.ts';

/** Synthesises as it is; a deployment puts in its own choices (docs/deploy.md). */
export const live: StageInput = {
  name: 'live',
  env: null,
  frontDoor: { kind: 'edge', domain: null },
  mail: { sender: 'no-reply@example.com', identity: 'created' },
  googleClientId: null,
  models: { endpoints: {}, hosted: {}, translation: 'svc-instruct' },
  planTable: 'listing',
  networkLimits: 'on',
  fastPath: 'on',
  firewall: { requests: 10_000, signIns: 100 },
  alarms: { email: null, monthlyBudgetUsd: null },
  logRetentionDays: 90,
  provisionedConcurrency: {},
  rollout: 'canary',
  accountsKey: 'own',
};

const stages: readonly StageInput[] = [
  live,
  { ...live, name: 'staging', logRetentionDays: 14, rollout: 'all-at-once' },
];

const pipelineChoices: PipelineInput = {
  repository: 'your-organisation/text-ai',
  branch: 'main',
  connectionArn: 'arn:aws:codeconnections:us-east-1:111111111111:connection/00000000-0000-0000-0000-000000000000',
  staging: 'staging',
  production: 'live',
};

/** The stage of this name, checked: an impossible choice is an error that names it. */
export function stageNamed(name: string): Stage {
  const stage = stages.find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`no stage is called ${name}; there are: ${stages.map((known) => known.name).join(', ')}`);
  return parseStage(stage);
}

export const parseStage = (stage: unknown): Stage => checked(Stage, stage, 'the stage');

/** What the pipeline deploys from where. */
export const pipelineSettings = (): PipelineSettings => checked(PipelineSettings, pipelineChoices, 'the pipeline');

function checked<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const broken = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? what} ${issue.message}`);
  throw new Error(`${what} cannot be deployed: ${broken.join('; ')}`);
}
