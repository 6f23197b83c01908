/**
 * Regions with Lambda response streaming: all commercial regions as of April 2026 (AWS "What's New",
 * https://aws.amazon.com/about-aws/whats-new/2026/04/aws-lambda-response-streaming/). For others, see "AWS Capabilities
 * by Region" (https://builder.aws.com/build/capabilities) before you add one.
 */
export const streamingRegions: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
]);

/** Throws for a region without response streaming. An unknown region (no credentials yet) passes. */
export function checkStreaming(region: string | undefined): void {
  if (region === undefined || streamingRegions.has(region)) return;
  throw new Error(
    `Lambda response streaming is not available in ${region} (lib/streaming-regions.ts): choose another region, or ` +
      'deploy with --context buffered=true.',
  );
}
