import { expect, test } from 'vitest';
import { routeGroups } from '#contract/routes.ts';
import { fullStage } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionId, functionsOf, ofType, pathOf, resourcesOf, type Synthesis, synthesise } from '../synth.ts';

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Grant {
  readonly action: string;
  readonly resource: string;
  readonly condition: string;
}

const { data, api } = await synthesise({ stage: payingStage });
const grants = grantsByFunction();

/** AWS may choose the number, pool or sender. */
const sendsToPhones = (id: string, { action }: Grant) =>
  id === 'send-message' && ['sms-voice:SendTextMessage', 'sms-voice:SendVoiceMessage'].includes(action);

/** Grants of every function: its own log, and traces, which have no resource. */
const isOwnTrail = (id: string, { action, resource }: Grant) =>
  (['logs:CreateLogStream', 'logs:PutLogEvents'].includes(action) && resource === `${id}/Logs`) ||
  (['xray:PutTelemetryRecords', 'xray:PutTraceSegments'].includes(action) && resource === '*');

test('every function may write its own log and traces', () => {
  for (const [id, granted] of grants) expect(granted.filter((grant) => isOwnTrail(id, grant))).toHaveLength(4);
});

test('every function has exactly the further grants of the snapshot', async () => {
  const described = [...grants]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([id, granted]) => ({ id, lines: describeGrants(granted.filter((grant) => !isOwnTrail(id, grant))) }));
  const alike = Map.groupBy(described, ({ lines }) => lines.join('\n'));
  const blocks = [...alike].map(([lines, functions]) => `${functions.map(({ id }) => id).join('\n')}\n${lines}\n`);
  await expect(blocks.join('')).toMatchFileSnapshot('grants.txt');
});

/** In the sandbox SES authorizes sender and recipients. The condition limits the grant to the stage's sender. */
const sendsAsSender = ({ action, resource, condition }: Grant) =>
  action === 'ses:SendEmail' &&
  resource === 'ses identity/*' &&
  condition.includes('{"StringEquals":{"ses:FromAddress":"no-reply@example.com"}}');

/** Discarded stream records: keys chosen by Lambda, in the job's own bucket. */
const keepsItsRecords = (id: string, { action, resource }: Grant) =>
  action === 's3:PutObject' && resource === `${id}/Function/GivenUp/Bucket/aws/lambda/*`;

/** Objects of the ledger archive, which are never deleted. */
const isOfArchive = ({ action, resource }: Grant) =>
  /^s3:(?:GetObject|PutObject|AbortMultipartUpload)$/.test(action) && /Archive.*ledger\/\*$/.test(resource);

/** Files of long audio, by folder. */
const isOfAudioFiles = ({ action, resource }: Grant) =>
  /^s3:(?:GetObject|PutObject|DeleteObject|AbortMultipartUpload)$/.test(action) &&
  /(?:uploads|forms|replies|texts)\/\*$/.test(resource);

test('no grant has a pattern as its action, and only listed grants have one as their resource', () => {
  for (const [id, granted] of grants) {
    expect(granted.filter(({ action }) => action.includes('*'))).toEqual([]);
    const wide = granted.filter(({ resource }) => resource.includes('*'));
    const allowed = (grant: Grant) =>
      isOwnTrail(id, grant) ||
      sendsAsSender(grant) ||
      keepsItsRecords(id, grant) ||
      sendsToPhones(id, grant) ||
      isOfAudioFiles(grant) ||
      isOfArchive(grant);
    expect(wide.filter((grant) => !allowed(grant))).toEqual([]);
  }
});

test('operator actions, the acceptance of terms, and the storage and reading of prompts add audit events, one list reads them, and nothing changes or deletes them', () => {
  const onAudit = [...grants].flatMap(([id, granted]) =>
    granted.filter(({ resource }) => resource.startsWith('table audit')).map(({ action }) => [id, action]),
  );
  const adding = onAudit.filter(([, action]) => action === 'dynamodb:PutItem').map(([id]) => id);
  const actions = routeGroups.operators.filter(({ method }) => method !== 'GET').map(({ id }) => id);
  expect(new Set(adding)).toEqual(
    new Set(['accept-terms', 'require-second-factor', 'set-key-content', 'get-request-content', ...actions]),
  );
  const others = onAudit.filter(([, action]) => action !== 'dynamodb:PutItem');
  expect(new Set(others.map(([id]) => id))).toEqual(new Set(['list-audit-events', 'export-account']));
  expect(new Set(others.map(([, action]) => action))).toEqual(
    new Set(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']),
  );
});

test('a stage permits voice calls only with an origination number', async () => {
  const actionsIn = async (synthesis: Synthesis) =>
    JSON.stringify(ofType((await synthesise(synthesis)).api, 'AWS::IAM::Policy')).match(/sms-voice:Send\w+/g);
  expect(await actionsIn({ stage: otherStage, buffered: true })).toEqual([
    'sms-voice:SendTextMessage',
    'sms-voice:SendVoiceMessage',
  ]);
  expect(fullStage.messages.origination).toBeNull();
  expect(await actionsIn({ stage: fullStage })).toEqual(['sms-voice:SendTextMessage']);
});

function grantsByFunction(): Map<string, Grant[]> {
  const policies = ofType(api, 'AWS::IAM::Policy')
    .filter(([, policy]) => functionsOf(api).has(functionId(policy)))
    .map(([, policy]): [string, Grant[]] => {
      const { Statement } = policy.Properties['PolicyDocument'] as { Statement: readonly Statement[] };
      return [functionId(policy), Statement.flatMap(grantsOf)];
    });
  expect(new Set(policies.map(([id]) => id)).size).toBe(policies.length);
  return new Map(policies);
}

function grantsOf({ Effect, Action, Resource, Condition }: Statement): Grant[] {
  expect(Effect).toBe('Allow');
  const condition = Condition ? ` if ${JSON.stringify(Condition)}` : '';
  return [Action]
    .flat()
    .flatMap((action) => [Resource].flat().map((resource) => ({ action, resource: nameOf(resource), condition })));
}

/** One line for each set of actions, with the granted resources. */
function describeGrants(granted: readonly Grant[]): string[] {
  const actionsOf = (grants: readonly Grant[], resource: string) => {
    const actions = grants.filter((grant) => grant.resource + grant.condition === resource);
    return actions.map(({ action }) => action.replace(/^\w+:/, '')).toSorted();
  };
  const services = Map.groupBy(granted, ({ action }) => action.split(':')[0]);
  return [...services]
    .flatMap(([service, own]) => {
      const resources = [...new Set(own.map(({ resource, condition }) => resource + condition))].toSorted();
      const lines = Map.groupBy(resources, (resource) => actionsOf(own, resource).join(' '));
      return [...lines].map(([actions, all]) => `  ${service} ${actions}: ${all.join(', ')}`);
    })
    .toSorted();
}

/** A readable name of the resource of an ARN in the API stack. */
function nameOf(arn: unknown): string {
  if (typeof arn === 'string') return arn;
  const {
    Ref,
    'Fn::Join': join,
    'Fn::GetAtt': attribute,
    'Fn::ImportValue': exported,
  } = arn as {
    Ref?: string;
    'Fn::Join'?: [string, unknown[]];
    'Fn::GetAtt'?: [string, string];
    'Fn::ImportValue'?: string;
  };
  if (Ref) return Ref in resourcesOf(api) ? pathOf(resourcesOf(api)[Ref]!) : Ref.replace('AWS::', '');
  if (join)
    return join[1]
      .map(nameOf)
      .join(join[0])
      .replace(/^arn:Partition:(\w+):Region:AccountId:/, '$1 ');
  if (attribute) return pathOf(resourcesOf(api)[attribute[0]]!);
  const output = Object.values(data.outputs).find(({ Export }) => Export?.Name === exported);
  const [table, kind] = (output!.Value as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'];
  return `table ${pathOf(resourcesOf(data)[table]!)}${kind === 'StreamArn' ? '/stream' : ''}`;
}
