import { Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { findModel } from '#contract/inference/models.ts';
import type { Backups } from '#lib/constructs/data/backups.ts';
import type { Mail } from '#lib/constructs/data/mail.ts';
import type { Tables } from '#lib/constructs/data/tables.ts';
import type { JobFunction } from '#lib/constructs/functions/job-function.ts';
import { HostedEndpoint } from '#lib/constructs/models/hosted-endpoint.ts';
import { ServiceAlarms } from '#lib/constructs/monitoring/service-alarms.ts';
import { serviceDashboard } from '#lib/constructs/monitoring/service-dashboard.ts';
import { checkStreaming } from '#lib/deployable.ts';
import { checkImages } from '#lib/hosted-model.ts';
import { stageTag } from '#lib/shared-props.ts';
import { hostedName, type Stage } from '#lib/stage.ts';
import { ApiStack, type ApiStackProps } from './api-stack.ts';
import { DataStack } from './data-stack.ts';

interface ModelsStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * Endpoints that a stage creates for its models. A separate stack, because they need many minutes to create and are
 * charged while they run.
 */
class ModelsStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: ModelsStackProps) {
    super(scope, id, { description: 'Text AI platform: models', ...props });
    for (const [model, hosted] of Object.entries(stage.models.hosted)) {
      const isEmbedding = findModel(model, 'embeddings') !== undefined;
      new HostedEndpoint(this, model, { name: hostedName(stage, model), model: hosted, isEmbedding });
    }
  }
}

export type PlatformProps = Pick<ApiStackProps, 'stage' | 'buffered' | 'dashboard'>;

/** All stacks of a stage. Throws if the region lacks response streaming or the images of the stage's models. */
export function createPlatform(scope: Construct, { stage, buffered, dashboard }: PlatformProps) {
  const region = stage.env?.region ?? process.env['CDK_DEFAULT_REGION'];
  if (!buffered) checkStreaming(region);
  checkImages(stage.models.hosted, region);
  const name = `text-ai-${stage.name}`;
  const common = { ...(stage.env && { env: stage.env }), stage };
  const data = new DataStack(scope, `${name}-data`, common);
  const { tables, audio, archive, contents, backups } = data;
  const api = new ApiStack(scope, `${name}-api`, { ...common, buffered, dashboard, tables, audio, archive, contents });
  // The account's log role must exist before an API that logs.
  api.addStackDependency(data);
  const { jobs, mail, alarms } = api;
  const monitoring = new MonitoringStack(scope, `${name}-monitoring`, {
    ...common,
    tables,
    backups,
    jobs,
    mail,
    alarms,
  });
  const hasModels = Object.keys(stage.models.hosted).length > 0;
  const models = hasModels ? new ModelsStack(scope, `${name}-models`, common) : undefined;
  const { key, value } = stageTag(stage);
  for (const stack of [data, api, monitoring, models]) if (stack) Tags.of(stack).add(key, value);
  return { data, api, monitoring, models };
}

export interface MonitoringStackProps extends StackProps {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly backups: Backups | undefined;
  readonly jobs: readonly JobFunction[];
  readonly mail: Mail;
  readonly alarms: ITopic;
}

/** A dashboard, the alarms of the whole service, and a budget. */
class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    const { stage, tables, backups, jobs, mail, alarms, ...stack } = props;
    super(scope, id, { description: 'Text AI platform: dashboard and alarms', ...stack });
    serviceDashboard(this, { stage, tables, jobs });
    const configurationSet = mail.configurationSetName;
    new ServiceAlarms(this, 'Service', { stage, tables, backups, configurationSet, topic: alarms });
    const { email, monthlyBudgetUsd } = stage.alarms;
    if (email !== null && monthlyBudgetUsd !== null) this.#watchCost(stage, email, monthlyBudgetUsd);
  }

  /**
   * Filters by the cost allocation tag that all resources of the stage have. Activate the tag in the billing console
   * first.
   */
  #watchCost(stage: Stage, address: string, amount: number): void {
    const tag = stageTag(stage);
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `text-ai-${stage.name}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:${tag.key}$${tag.value}`] },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: { notificationType: 'ACTUAL', comparisonOperator: 'GREATER_THAN', threshold },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    });
  }
}
