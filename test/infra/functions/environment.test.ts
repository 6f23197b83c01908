import * as v from 'valibot';
import { expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { Environment, tableVariables } from '#contract/platform/environment.ts';
import { allRoutes } from '#contract/routes.ts';
import { otherStage as stage } from '#test/stages/other-stage.ts';
import { functionId, functionsOf, ofType, synthesise } from '../synth.ts';
import { type Whole } from '../whole.ts';

const variablesOf = (template: Whole) =>
  new Map(
    [...functionsOf(template)].map(([id, fn]) => [
      id,
      (fn.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables,
    ]),
  );

const { api } = await synthesise({ stage, buffered: true });
const variables = variablesOf(api);
const [[configurationSet] = []] = ofType(api, 'AWS::SES::ConfigurationSet');
const [[ofMessages] = []] = ofType(api, 'AWS::SMSVOICE::ConfigurationSet');

test("a function's environment contains the names of its own tables and no others", () => {
  const allTables: string[] = Object.values(tableVariables);
  for (const { id, uses } of [...allRoutes, ...allJobs]) {
    const wanted = Object.entries(tableVariables).filter(([table]) => table in (uses.tables ?? {}));
    const present = Object.keys(variables.get(id) ?? {}).filter((name) => allTables.includes(name));
    expect(present.toSorted()).toEqual(wanted.map(([, variable]) => variable).toSorted());
  }
});

test('every function has a secure cookie, the public origin and a readable environment', () => {
  for (const environmentOf of variables.values()) {
    const texts = Object.entries(environmentOf).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'a-table',
    ]);
    const environment = v.parse(Environment, Object.fromEntries(texts));
    expect(environment).toMatchObject({ SESSION_COOKIE: '__Host-session', PUBLIC_ORIGIN: 'https://text.example.org' });
    expect(environment).toMatchObject({
      PLAN_TABLE: 'overview',
      NETWORK_LIMITS: 'on',
      TRUSTED_PROXIES: 2,
      FAST_PATH: 'off',
      LANES: 'on',
      SESSION_IDLE_HOURS: 4,
      SESSION_MAX_DAYS: 7,
    });
    expect(environmentOf).toMatchObject({
      POWERTOOLS_SERVICE_NAME: 'text-ai',
      POWERTOOLS_METRICS_NAMESPACE: 'text-ai-other',
    });
    expect(environmentOf).not.toHaveProperty('NODE_OPTIONS');
  }
});

test('a function has the sender, configuration set and endpoints for which it has permissions, and no others', () => {
  const policies = new Map(ofType(api, 'AWS::IAM::Policy').map(([, policy]) => [functionId(policy), policy]));
  for (const { id, uses } of [...allRoutes, ...allJobs]) {
    const own = variables.get(id) ?? {};
    const granted = JSON.stringify(policies.get(id));
    expect(own['MAIL_SENDER']).toBe(uses.mail && stage.mail.sender);
    expect(granted.includes(':identity/*"')).toBe(Boolean(uses.mail));
    expect(own['MAIL_CONFIGURATION_SET']).toEqual(uses.mail && { Ref: configurationSet });
    expect(granted.includes(`configuration-set/"`)).toBe(Boolean(uses.mail));
    const { MODEL_ENDPOINTS } = v.parse(Environment, { MODEL_ENDPOINTS: own['MODEL_ENDPOINTS'] ?? '{}' });
    expect(MODEL_ENDPOINTS.get('svc-1')).toMatchObject([{ endpoint: uses.inference ? 'Llama-Live' : 'svc-1' }]);
    expect(own['TRANSLATION_MODEL']).toBe(uses.inference && 'svc-1');
    expect(own['ANALYSIS_MODEL']).toBe(uses.encoders && 'svc-code');
    expect(v.parse(Environment, { ANALYSIS_ENCODERS: own['ANALYSIS_ENCODERS'] ?? '{}' }).ANALYSIS_ENCODERS).toEqual(
      uses.encoders ? stage.models.encoders : {},
    );
    expect(granted.includes('endpoint/moods"')).toBe(Boolean(uses.encoders));
    expect(granted.includes('inference-component/names-1"')).toBe(Boolean(uses.encoders));
    expect(own['MESSAGE_COUNTRIES']).toBe(uses.messaging && 'DE,US');
    expect(own['MESSAGE_ORIGINATION']).toBe(uses.messaging && 'pool-1');
    expect(own['MESSAGE_CONFIGURATION_SET']).toEqual(uses.messaging && { Ref: ofMessages });
    expect(own['MESSAGES_PER_NUMBER']).toBe(uses.messaging && '3');
    expect(granted.includes('sms-voice:SendTextMessage')).toBe(Boolean(uses.messaging));
    expect(own['PAYMENTS']).toBe('stripe');
    expect(own['PAYMENTS_SECRET']).toBe(uses.payments && 'other/stripe');
    expect(granted.includes('secret:other/stripe-??????')).toBe(Boolean(uses.payments));
    expect(own['IDENTITY_AUDIENCE']).toBe(uses.identityProvider && stage.googleClientId);
    expect(granted.includes('endpoint/llama-live"')).toBe(Boolean(uses.inference));
  }
});
