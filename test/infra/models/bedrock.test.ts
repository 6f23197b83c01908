import { describe, expect, it } from 'vitest';
import { routeEntry } from '#contract/handlers.ts';
import { allRoutes, routes } from '#contract/routes.ts';
import { buildEntries, bundlingWith } from '#lib/constructs/function-code.ts';
import { bedrockGrants } from '#lib/constructs/functions/grants.ts';
import { callsBedrock } from '#lib/stage.ts';
import { live, parseStage } from '#lib/stages.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { functionId, ofType, pathOf, synthesise } from '../synth.ts';

const stack = { partition: 'aws', account: '111111111111', region: 'eu-west-1' };
const arn = 'arn:aws:bedrock:us-east-1:111111111111';

describe('the grants of a model on Bedrock', () => {
  const grants = (model: string, region?: string) =>
    bedrockGrants({ kind: 'bedrock', model, ...(region !== undefined && { region }) }, stack);

  it('name the model in its region', () => {
    const resources = ['arn:aws:bedrock:eu-west-1::foundation-model/zai.glm-4.7'];
    expect(grants('zai.glm-4.7')).toEqual([{ resources }]);
    expect(grants('zai.glm-4.7', 'us-west-2')[0]?.resources[0]).toContain(':us-west-2::');
  });

  it.each(['us', 'eu', 'apac', 'global'])(
    'name an inference profile of %s, and its model only through the profile',
    (area) => {
      const profile = `arn:aws:bedrock:eu-west-1:111111111111:inference-profile/${area}.amazon.nova-lite-v1:0`;
      expect(grants(`${area}.amazon.nova-lite-v1:0`)).toEqual([
        { resources: [profile] },
        { resources: ['arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0'], profile },
      ]);
    },
  );

  it('name the ARN and, for an application inference profile, any model only through the profile', () => {
    const profile = `${arn}:application-inference-profile/abc`;
    expect(grants(profile)).toEqual([
      { resources: [profile] },
      { resources: ['arn:aws:bedrock:*::foundation-model/*'], profile },
    ]);
    expect(grants(`${arn}:imported-model/abc`)).toEqual([{ resources: [`${arn}:imported-model/abc`] }]);
  });
});

describe('a stage with a fallback on Bedrock', async () => {
  const { api, monitoring } = await synthesise({ stage: fullStage });

  it('lets exactly the functions with models call it', () => {
    const statements = ofType(api, 'AWS::IAM::Policy').flatMap(([, policy]) => {
      const { Statement } = policy.Properties['PolicyDocument'] as { Statement: { Action: unknown }[] };
      const own = Statement.filter(({ Action }) => JSON.stringify(Action).includes('bedrock:'));
      return own.length > 0 ? [[functionId(policy), own] as const] : [];
    });
    const inferring = allRoutes.filter(({ uses }) => uses.inference);
    expect(new Set(statements.map(([id]) => id))).toEqual(
      new Set([...inferring.map(({ id }) => id), 'index-documents']),
    );
    for (const [, own] of statements) {
      expect(own).toMatchObject([
        { Action: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'] },
        { Condition: { StringEquals: { 'bedrock:InferenceProfileArn': expect.anything() } } },
      ]);
      expect(own).toHaveLength(2);
    }
  });

  it('has only the endpoints that differ from the offer in the environment of its functions', () => {
    const [, fn] = ofType(api, 'AWS::Lambda::Function').find(
      ([, one]) => functionId(one) === 'create-chat-completion',
    )!;
    const { Variables } = fn.Properties['Environment'] as { Variables: Record<string, string> };
    expect(JSON.parse(Variables['MODEL_ENDPOINTS']!)).toMatchObject({
      'svc-1': [{ kind: 'sagemaker', endpoint: 'text-ai-live-svc-1' }],
      'svc-instruct': [{ kind: 'sagemaker', endpoint: 'svc-instruct' }, { kind: 'bedrock' }],
    });
    expect(Object.keys(JSON.parse(Variables['MODEL_ENDPOINTS']!))).toHaveLength(2);
  });

  it('has an alarm, which other stages do not have', async () => {
    const alarmsOf = (template: typeof monitoring) =>
      ofType(template, 'AWS::CloudWatch::Alarm').map(([, one]) => pathOf(one));
    expect(alarmsOf(monitoring)).toContain('Service/Fallback');
    expect(alarmsOf((await synthesise()).monitoring)).not.toContain('Service/Fallback');
  });

  it('bundles the client only into functions with models, which load it with the first call', async () => {
    expect(callsBedrock(fullStage, routes.createChatCompletion.uses)).toBe(true);
    expect(callsBedrock(fullStage, routes.listKeys.uses)).toBe(false);
    expect(callsBedrock(parseStage(live), routes.createChatCompletion.uses)).toBe(false);
    const entries = [{ id: 'create-chat-completion', entry: routeEntry('create-chat-completion') }];
    const { metafile } = await buildEntries(entries, bundlingWith({ withStripe: false, withBedrock: true }));
    const inputs = Object.keys(metafile.inputs).filter((file) => file.includes('client-bedrock-runtime'));
    expect(inputs.length).toBeGreaterThan(5);
  });
});
