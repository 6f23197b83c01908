import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import {
  BucketDeployment,
  type BucketDeploymentProps,
  CacheControl,
  type ISource,
  Source,
} from 'aws-cdk-lib/aws-s3-deployment';
import { Construct, type IDependable } from 'constructs';
import {
  brotliAssets,
  cacheControl,
  type DashboardConfig,
  hashedAssets,
  notPublished,
  originMark,
} from '#contract/dashboard-config.ts';
import { cast } from '#lib/shared-props.ts';
import type { Stage } from '#lib/stage.ts';

interface DashboardFilesProps {
  /** Folder with the dashboard's build. */
  readonly dashboard: string;
  /** The deployment's address. */
  readonly origin: string;
  readonly config: DashboardConfig;
  readonly bucket: IBucket;
}

const document = 'index.html';

/** Types that S3 would serve without a character set, by the pattern of their files. */
const textTypes = { Markdown: ['*.md', 'text/markdown'], Texts: ['*.txt', 'text/plain'] } as const;
const documents = '*.html';

/**
 * Publishes the dashboard. The HTML documents come last, so that they never refer to missing files
 * (docs/adr/0015-api-before-page.md).
 */
class DashboardFiles extends Construct {
  constructor(scope: Construct, id: string, { dashboard, origin, config, bucket }: DashboardFilesProps) {
    super(scope, id);
    if (!existsSync(join(dashboard, document))) throw new Error(`${dashboard} has no dashboard: npm run build`);
    const assets = hashedAssets.replaceAll('/', '');
    const publish = (id: string, sources: ISource[], cache: string, more: Partial<BucketDeploymentProps> = {}) =>
      new BucketDeployment(this, id, {
        destinationBucket: bucket,
        sources,
        cacheControl: [CacheControl.fromString(cache)],
        // Keep old files, because an open page still loads the files of its own build.
        prune: false,
        ...more,
      });
    // CloudFront passes on what is already compressed, and compresses less itself.
    const hashed = publish('Hashed', [Source.asset(join(dashboard, brotliAssets))], cacheControl.hashed, {
      destinationKeyPrefix: assets,
      contentEncoding: 'br',
    });
    const files = Source.asset(dashboard, { exclude: [assets, ...notPublished] });
    const texts = Object.entries(textTypes).map(([id, [pattern, type]]) =>
      publish(id, [withOrigin(files, origin)], cacheControl.other, {
        exclude: ['*'],
        include: [pattern],
        contentType: `${type}; charset=utf-8`,
      }),
    );
    const others = publish('Others', [files, Source.jsonData('config.json', config)], cacheControl.other, {
      exclude: [documents, ...Object.values(textTypes).map(([pattern]) => pattern)],
    });
    const last = publish('Documents', [withOrigin(files, origin)], cacheControl.other, {
      exclude: ['*'],
      include: [documents],
    });
    others.node.addDependency(hashed);
    last.node.addDependency(others, ...texts);
  }
}

/** Inserts the address, which may be known only when the stack is deployed. */
const withOrigin = (source: ISource, origin: string): ISource => ({
  bind: (scope, context) => ({ ...source.bind(scope, context), markers: { [originMark]: origin } }),
});

/** The bucket of the public files: built from the repository, so deleted with the stack. */
export class FilesBucket extends Construct {
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
    });
    this.bucket = cast<IBucket>(bucket);
  }
}

export interface PagesStackProps {
  readonly stage: Stage;
  /** Folder with the dashboard's build. */
  readonly dashboard: string;
  readonly bucket: IBucket;
  /** The deployment's address. */
  readonly origin: string;
  /** Resources that must be deployed, including their rollouts, before the dashboard is published. */
  readonly after: readonly IDependable[];
}

/**
 * Files of dashboard and API reference. Nested and separate from the edge, so that they are deployed after everything
 * that they call.
 */
export class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { stage, dashboard, bucket, origin, after }: PagesStackProps) {
    super(scope, id, { description: 'Text AI platform: files of dashboard and API reference' });
    const { googleClientId, planTable, salesEmail, storePrompts } = stage;
    const payments = stage.payments !== null;
    const demoSpeechFormats = null;
    const config = { googleClientId, local: false, demoSpeechFormats, planTable, salesEmail, payments, storePrompts };
    new DashboardFiles(this, 'Files', { dashboard, origin, config, bucket });
    this.nestedStackResource?.node.addDependency(...after);
  }
}
