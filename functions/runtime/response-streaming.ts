import * as v from 'valibot';

const LambdaGlobal = v.object({ streamifyResponse: v.function() });

/**
 * Whether this process can stream answers: Lambda's Node.js runtime puts `awslambda.streamifyResponse` in place. The
 * AWS SDK makes an `awslambda` object of its own where there is none, so its presence alone says nothing.
 */
export function canStream(): boolean {
  return v.is(LambdaGlobal, Reflect.get(globalThis, 'awslambda'));
}
