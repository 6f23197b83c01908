import type { Template } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { Environment, tableVariables } from '#contract/environment.ts';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes } from '#contract/routes.ts';
import { type Stage, stageNamed } from '#lib/stages.ts';
import { functionId, ofType, synthesise } from './synth.ts';

const stage: Stage = {
  ...stageNamed('live'),
  publicOrigin: 'https://text.example.org',
  mailSender: 'hello@mail.example.org',
  modelEndpoints: { 'svc-1': 'Llama-Live' },
};

const variablesOf = (template: Template) =>
  new Map(
    ofType(template, 'AWS::Lambda::Function').map(([, fn]) => [
      functionId(fn),
      (fn.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables,
    ]),
  );

const { api } = synthesise({ stage });
const variables = variablesOf(api);
const [[configurationSet] = []] = ofType(api, 'AWS::SES::ConfigurationSet');

test('a function is told the names of the tables it uses, and of no others', () => {
  const allTables: string[] = Object.values(tableVariables);
  for (const { id, uses } of [...allRoutes, ...allJobs]) {
    const wanted = Object.entries(tableVariables).filter(([table]) => table in (uses.tables ?? {}));
    const told = Object.keys(variables.get(id) ?? {}).filter((name) => allTables.includes(name));
    expect(told.toSorted()).toEqual(wanted.map(([, variable]) => variable).toSorted());
  }
});

test('every function has a secure cookie, the public origin, and an environment that it can read', () => {
  for (const told of variables.values()) {
    const texts = Object.entries(told).map(([name, value]) => [name, typeof value === 'string' ? value : 'a-table']);
    const environment = v.parse(Environment, Object.fromEntries(texts));
    expect(environment).toMatchObject({ SESSION_COOKIE: '__Host-session', PUBLIC_ORIGIN: stage.publicOrigin });
    expect(told).toMatchObject({ POWERTOOLS_SERVICE_NAME: 'text-ai', POWERTOOLS_METRICS_NAMESPACE: 'TextAi' });
    expect(told).not.toHaveProperty('NODE_OPTIONS');
  }
});

test('sender, configuration set and endpoints are named and granted together', () => {
  const policies = new Map(ofType(api, 'AWS::IAM::Policy').map(([, policy]) => [functionId(policy), policy]));
  for (const { id, uses } of [...allRoutes, ...allJobs]) {
    const told = variables.get(id) ?? {};
    const granted = JSON.stringify(policies.get(id));
    expect(told['MAIL_SENDER']).toBe(uses.mail && stage.mailSender);
    expect(granted.includes('identity/mail.example.org')).toBe(Boolean(uses.mail));
    expect(told['MAIL_CONFIGURATION_SET']).toEqual(uses.mail && { Ref: configurationSet });
    expect(granted.includes(`configuration-set/"`)).toBe(Boolean(uses.mail));
    expect(told['MODEL_ENDPOINTS']).toBe(uses.inference && '{"svc-1":"Llama-Live"}');
    expect(granted.includes('endpoint/llama-live"')).toBe(Boolean(uses.inference));
  }
});
