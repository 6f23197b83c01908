import * as v from 'valibot';

const LambdaGlobal = v.object({ streamifyResponse: v.function() });

/**
 * Whether this process can stream responses: Lambda's Node.js runtime puts `awslambda.streamifyResponse` in place. The
 * AWS SDK makes an `awslambda` object of its own where there is none, so its presence alone means nothing.
 */
export function canStream(): boolean {
  return v.is(LambdaGlobal, Reflect.get(globalThis, 'awslambda'));
}
