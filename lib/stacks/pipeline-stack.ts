import { Stage as Deployment, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { BuildSpec, ComputeType, LinuxBuildImage } from 'aws-cdk-lib/aws-codebuild';
import { PipelineType } from 'aws-cdk-lib/aws-codepipeline';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  CodeBuildStep,
  CodePipeline,
  CodePipelineSource,
  type IFileSetProducer,
  ManualApprovalStep,
  ShellStep,
} from 'aws-cdk-lib/pipelines';
import type { Construct } from 'constructs';
import type { PipelineSettings } from '#lib/settings.ts';
import { cast } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';
import { createPlatform } from './platform.ts';

interface PipelineStackProps extends StackProps {
  readonly settings: PipelineSettings;
  /** Returns the stage with a name. */
  readonly stageNamed: (name: string) => Stage;
  /** Folder with the dashboard's build. */
  readonly dashboard: string | null;
}

type PipelineProps = Pick<PipelineStackProps, 'stageNamed' | 'dashboard'> & {
  /** Null: no pipeline. */
  readonly settings: PipelineSettings | null;
};

/** Creates the pipeline if it is configured. `cdk deploy --all` deploys only its own stack, not those of its stages. */
export function createPipeline(scope: Construct, { settings, ...props }: PipelineProps): void {
  if (settings) new PipelineStack(scope, 'text-ai-pipeline', { settings, ...props });
}

/** From a push to production: tests, staging, its smoke test, a manual approval, production, its smoke test. */
class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { settings, stageNamed, dashboard, ...props }: PipelineStackProps) {
    super(scope, id, { description: 'Text AI platform: pipeline', ...props });
    const { repository, branch, connectionArn } = settings;
    const source = cast<IFileSetProducer>(CodePipelineSource.connection(repository, branch, { connectionArn }));
    const commands = ['npm ci', 'npm test', 'npx cdk synth --quiet'];
    const test = new ShellStep('Test', { input: source, commands });
    const pipeline = new CodePipeline(this, 'Pipeline', {
      synth: cast<IFileSetProducer>(test),
      crossAccountKeys: true,
      pipelineType: PipelineType.V2,
      enableKeyRotation: true,
      codeBuildDefaults: {
        buildEnvironment: { buildImage: LinuxBuildImage.AMAZON_LINUX_2023_5, computeType: ComputeType.MEDIUM },
        partialBuildSpec: BuildSpec.fromObject({ phases: { install: { 'runtime-versions': { nodejs: 22 } } } }),
        timeout: Duration.minutes(30),
      },
    });
    const deployment = (name: string) => new PlatformDeployment(this, name, { stage: stageNamed(name), dashboard });
    const staging = deployment(settings.staging);
    const production = deployment(settings.production);
    pipeline.addStage(staging, { post: [staging.smokeTest(source), ...staging.prune(source)] });
    const comment = 'Staging has passed its smoke test. Production follows.';
    pipeline.addStage(production, {
      pre: [new ManualApprovalStep('Approve', { comment })],
      post: [production.smokeTest(source), ...production.prune(source)],
    });
  }
}

interface PlatformDeploymentProps {
  readonly stage: Stage;
  readonly dashboard: string | null;
}

/** A stage in the pipeline. */
class PlatformDeployment extends Deployment {
  readonly #platform: ReturnType<typeof createPlatform>;
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, { stage, dashboard }: PlatformDeploymentProps) {
    super(scope, id, stage.env ? { env: stage.env } : {});
    this.#stage = stage;
    this.#platform = createPlatform(this, { stage, buffered: false, dashboard });
  }

  /**
   * Deletes old function versions of stages in the pipeline's account and region. Other stages need the manual command.
   */
  prune(source: IFileSetProducer): CodeBuildStep[] {
    const { name, env } = this.#stage;
    if (env !== null) return [];
    return [
      new CodeBuildStep(`Prune versions of ${this.node.id}`, {
        input: source,
        commands: ['npm ci', `npm run prune -- ${name}`],
        rolePolicyStatements: [
          new PolicyStatement({ actions: ['lambda:ListFunctions', 'lambda:ListTags'], resources: ['*'] }),
          new PolicyStatement({
            actions: ['lambda:ListAliases', 'lambda:ListVersionsByFunction', 'lambda:DeleteFunction'],
            resources: ['*'],
            conditions: { StringEquals: { 'aws:ResourceTag/text-ai-stage': name } },
          }),
        ],
      }),
    ];
  }

  /**
   * Registers, signs in and deletes an account. With the environment variable SMOKE_KEY, also checks that a chat is
   * charged.
   */
  smokeTest(source: IFileSetProducer): CodeBuildStep {
    const { apiUrl, inferenceUrl } = this.#platform.api;
    return new CodeBuildStep(`Smoke test of ${this.node.id}`, {
      input: source,
      envFromCfnOutputs: { API_URL: apiUrl, INFERENCE_URL: inferenceUrl },
      commands: ['npm ci', 'npx node bin/smoke.ts "$API_URL" "$INFERENCE_URL"'],
    });
  }
}
