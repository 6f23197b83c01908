import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { apiReferenceFiles, apiReferencePath } from '#contract/api-reference.ts';
import { cacheControl, type DashboardConfig, hashedAssets } from '#contract/dashboard-config.ts';
import { cast } from '#lib/cast.ts';
import { notPublished } from './edge-functions.ts';

export interface DashboardFilesProps {
  /** Folder with the dashboard's build; null: the bucket stays empty. */
  readonly dashboard: string | null;
  readonly config: DashboardConfig;
}

const root = join(import.meta.dirname, '../../..');

/** The bucket with the files of the dashboard and of the API reference: built from the repository, so deleted with the stack. */
export class DashboardFiles extends Construct {
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string, { dashboard, config }: DashboardFilesProps) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
    });
    this.bucket = cast<IBucket>(bucket);
    if (dashboard !== null) this.#publish(dashboard, config);
  }

  #publish(dashboard: string, config: DashboardConfig): void {
    if (!existsSync(join(dashboard, 'index.html'))) throw new Error(`${dashboard} has no dashboard: npm run build`);
    const assets = hashedAssets.replaceAll('/', '');
    const reference = Object.entries(apiReferenceFiles).map(([name, source]) =>
      Source.data(`${apiReferencePath.slice(1)}/${name}`, readFileSync(join(root, source), 'utf8')),
    );
    // Hashed files are uploaded first and never pruned: an open page keeps loading those of its own build.
    const hashed = new BucketDeployment(this, 'Hashed', {
      destinationBucket: this.bucket,
      destinationKeyPrefix: assets,
      sources: [Source.asset(join(dashboard, assets))],
      cacheControl: [CacheControl.fromString(cacheControl.hashed)],
      prune: false,
    });
    const others = new BucketDeployment(this, 'Others', {
      destinationBucket: this.bucket,
      sources: [
        Source.asset(dashboard, { exclude: [assets, ...notPublished] }),
        Source.jsonData('config.json', config),
        ...reference,
      ],
      cacheControl: [CacheControl.fromString(cacheControl.other)],
      prune: false,
    });
    others.node.addDependency(hashed);
  }
}
