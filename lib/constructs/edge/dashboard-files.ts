import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { cacheControl, type DashboardConfig, hashedAssets } from '#contract/dashboard-config.ts';
import { cast } from '#lib/shared-props.ts';
import { notPublished } from './edge-functions.ts';

export interface DashboardFilesProps {
  /** Folder with the dashboard's build. */
  readonly dashboard: string;
  readonly config: DashboardConfig;
  readonly bucket: IBucket;
}

const document = 'index.html';

/**
 * Publishes the dashboard. The HTML document comes last, so that it never refers to missing files
 * (docs/adr/0015-api-before-page.md).
 */
export class DashboardFiles extends Construct {
  constructor(scope: Construct, id: string, { dashboard, config, bucket }: DashboardFilesProps) {
    super(scope, id);
    if (!existsSync(join(dashboard, document))) throw new Error(`${dashboard} has no dashboard: npm run build`);
    const assets = hashedAssets.replaceAll('/', '');
    const publish = (id: string, sources: ISource[], cache: string, prefix?: string) =>
      new BucketDeployment(this, id, {
        destinationBucket: bucket,
        ...(prefix !== undefined && { destinationKeyPrefix: prefix }),
        sources,
        cacheControl: [CacheControl.fromString(cache)],
        // Keep old files, because an open page still loads those of its own build.
        prune: false,
      });
    const hashed = publish('Hashed', [Source.asset(join(dashboard, assets))], cacheControl.hashed, assets);
    const others = publish(
      'Others',
      [
        Source.asset(dashboard, { exclude: [assets, document, ...notPublished] }),
        Source.jsonData('config.json', config),
      ],
      cacheControl.other,
    );
    const index = Source.data(document, readFileSync(join(dashboard, document), 'utf8'));
    const last = publish('Documents', [index], cacheControl.other);
    others.node.addDependency(hashed);
    last.node.addDependency(others);
  }
}

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
