import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { apiReferenceFiles, apiReferencePath } from '#contract/api-reference.ts';
import { cacheControl, type DashboardConfig, hashedAssets } from '#contract/dashboard-config.ts';
import { notPublished } from './edge-functions.ts';

export interface DashboardFilesProps {
  /** Folder with the dashboard's build. */
  readonly dashboard: string;
  readonly config: DashboardConfig;
  /** Where the files go. */
  readonly bucket: IBucket;
}

const root = join(import.meta.dirname, '../../..');
const document = 'index.html';

/**
 * Publishes the dashboard and the API reference: first what is loaded, last the two documents that load it, so that a document
 * is never there before its own files (docs/adr/0015-api-before-page.md).
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
        // An open page keeps loading the files of its own build.
        prune: false,
      });
    const hashed = publish('Hashed', [Source.asset(join(dashboard, assets))], cacheControl.hashed, assets);
    const others = publish(
      'Others',
      [
        Source.asset(dashboard, { exclude: [assets, document, ...notPublished] }),
        Source.jsonData('config.json', config),
        ...referenceFiles((name) => name !== document),
      ],
      cacheControl.other,
    );
    const index = Source.data(document, readFileSync(join(dashboard, document), 'utf8'));
    const documents = [index, ...referenceFiles((name) => name === document)];
    const last = publish('Documents', documents, cacheControl.other);
    others.node.addDependency(hashed);
    last.node.addDependency(others);
  }
}

const referenceFiles = (isWanted: (name: string) => boolean): ISource[] =>
  Object.entries(apiReferenceFiles)
    .filter(([name]) => isWanted(name))
    .map(([name, source]) =>
      Source.data(`${apiReferencePath.slice(1)}/${name}`, readFileSync(join(root, source), 'utf8')),
    );
