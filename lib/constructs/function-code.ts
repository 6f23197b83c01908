import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { functionModules, joinStart } from './join-start.ts';

const repository = join(import.meta.dirname, '../..');

export interface CodeOptions {
  /** False replaces Stripe's package. */
  readonly withStripe: boolean;
  /** False replaces the client of Amazon Bedrock. */
  readonly withBedrock: boolean;
}

/**
 * Bundles an entry point with all its imports as minified modules. Dynamic imports stay in separate files, loaded on
 * first use: with the tokenizer in the main file, a cold start took 200 ms instead of 80. NodejsFunction cannot split
 * code, and runs esbuild through npx for each function.
 */
export function functionCode(entry: string, options: CodeOptions): Code {
  return Code.fromAsset(join(repository, 'functions'), {
    // Hash of the code, so that only changed functions are deployed.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('never-used'),
      // Distinguishes the bundles, because CDK builds once for equal options.
      command: [entry, JSON.stringify(options)],
      local: {
        tryBundle(outdir) {
          bundle(entry, outdir, options);
          return true;
        },
      },
    },
  });
}

/** Writes the code of an entry point to a folder. `index.mjs` exports its handler. */
export function bundle(
  entry: string,
  outdir: string,
  options: CodeOptions = { withStripe: true, withBedrock: false },
): void {
  const stdin = { contents: entry, resolveDir: repository, loader: 'ts' } as const;
  const { metafile } = buildSync({ ...bundlingWith(options), stdin, entryNames: 'index', outdir, metafile: true });
  joinStart(outdir, metafile.outputs);
}

const substitute = (file: string): string => join(repository, 'lib/bundled', file);

/** esbuild options for entry points. Replaces modules that a cold start does not need. */
export const bundling = {
  ...functionModules,
  absWorkingDir: repository,
  alias: {
    'node:assert': substitute('assert.cjs'),
    'node:crypto': substitute('crypto.ts'),
    'node:http': substitute('http.ts'),
    'node:process': substitute('process.ts'),
    '@aws-sdk/credential-provider-node': substitute('credentials.ts'),
  },
  // Unused parts of `undici`: its second parser, and the modules below. `require` returns undefined for them.
  define: { esbuildDetection: 'true', OFFER: JSON.stringify(process.env['OFFER'] ?? null) },
  external: ['dispatcher/client-h2', 'llhttp/llhttp-wasm', 'web/*'].map(
    (file) => `./node_modules/undici/lib/${file}.js`,
  ),
  // ES modules have no `require`, which bundled CommonJS modules need for Node.js built-ins.
  banner: { js: 'const require=process.getBuiltinModule;' },
  outExtension: { '.js': '.mjs' },
  splitting: true,
  mainFields: ['module', 'main'],
} as const satisfies BuildOptions;

/** Replaces the gateways of services that a function never calls, although its imports lead to them. */
export const bundlingWith = ({ withStripe, withBedrock }: CodeOptions) =>
  ({
    ...bundling,
    alias: {
      ...bundling.alias,
      ...(!withStripe && { '#gateways/stripe/provider.ts': substitute('stripe.ts') }),
      ...(!withBedrock && { '#gateways/bedrock/bedrock-runtime.ts': substitute('bedrock.ts') }),
    },
  }) as const satisfies BuildOptions;
