import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tableVariables } from '#contract/environment.ts';
import { models } from '#contract/models.ts';
import type { Access, Uses } from '#contract/route.ts';
import { tables as specs, type TableId, type TableSpec } from '#contract/tables.ts';
import type { Stage } from '#lib/stages.ts';
import type { Mail } from './mail.ts';
import type { Variables } from './service-function.ts';
import type { Tables } from './tables.ts';

/** What there is to be granted. */
export interface Resources {
  /** The tables, from the stack that keeps them. */
  readonly tables: Tables;
  /** How mails leave. */
  readonly mail: Mail;
  /** Names the mail sender and the model endpoints. */
  readonly stage: Stage;
}

/** Lets a function reach exactly what its row says it uses, and tells it the names. */
export function grantUses(fn: LambdaFunction, uses: Uses, { tables, mail, stage }: Resources): void {
  for (const [id, access] of Object.entries(uses.tables ?? {})) {
    if (isTableId(id)) grantTable(fn, tables, id, access);
  }
  if (uses.inference) grantInference(fn, stage);
  if (uses.mail) grantMail(fn, mail, stage);
}

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writes = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'];
const actionsOf: Readonly<Record<Access, readonly string[]>> = { read: reads, write: [...reads, ...writes] };

const isTableId = (id: string): id is TableId => id in specs;

function grantTable(fn: LambdaFunction, tables: Tables, id: TableId, access: Access): void {
  const table = tables[id];
  const spec: TableSpec = specs[id];
  allow(fn, actionsOf[access], [table.tableArn]);
  const indexes = Object.keys(spec.indexes ?? {}).map((index) => `${table.tableArn}/index/${index}`);
  if (indexes.length > 0) allow(fn, ['dynamodb:Query'], indexes);
  fn.addEnvironment(tableVariables[id], table.tableName);
}

function grantInference(fn: LambdaFunction, stage: Stage): void {
  const endpoints = models.map(({ id, endpoint }) => stage.modelEndpoints[id] ?? endpoint);
  const actions = ['sagemaker:InvokeEndpoint', 'sagemaker:InvokeEndpointWithResponseStream'];
  allow(
    fn,
    actions,
    endpoints.map((name) => arn(fn, 'sagemaker', 'endpoint', name.toLowerCase())),
  );
  setVariables(fn, { MODEL_ENDPOINTS: JSON.stringify(stage.modelEndpoints) });
}

function grantMail(fn: LambdaFunction, { configurationSetName }: Mail, { mailSender }: Stage): void {
  const domain = mailSender.slice(mailSender.lastIndexOf('@') + 1);
  const asSender = { StringEquals: { 'ses:FromAddress': mailSender } };
  const identity = arn(fn, 'ses', 'identity', domain);
  const configurationSet = arn(fn, 'ses', 'configuration-set', configurationSetName);
  allow(fn, ['ses:SendEmail'], [identity, configurationSet], asSender);
  setVariables(fn, { MAIL_SENDER: mailSender, MAIL_CONFIGURATION_SET: configurationSetName });
}

function allow(fn: LambdaFunction, actions: readonly string[], resources: readonly string[], conditions = {}): void {
  fn.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
}

function arn(fn: LambdaFunction, service: string, resource: string, resourceName: string): string {
  return Stack.of(fn).formatArn({ service, resource, resourceName });
}

function setVariables(fn: LambdaFunction, variables: Variables): void {
  for (const [name, value] of Object.entries(variables)) fn.addEnvironment(name, value);
}
