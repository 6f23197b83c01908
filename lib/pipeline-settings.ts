import * as v from 'valibot';

/** Source and stages (of lib/stages.ts) of the pipeline. */
export const PipelineSettings = v.strictObject({
  repository: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/, 'must be owner/name')),
  branch: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  /** Connection to the repository's host (AWS CodeConnections), created once in the console. */
  connectionArn: v.pipe(
    v.string(),
    v.regex(/^arn:aws:(codeconnections|codestar-connections):/, 'must be the ARN of a connection'),
  ),
  staging: v.string(),
  production: v.string(),
});
export type PipelineSettings = v.InferOutput<typeof PipelineSettings>;
export type PipelineInput = v.InferInput<typeof PipelineSettings>;
