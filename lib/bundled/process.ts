/** Replaces `node:process` in Lambda bundles: importing it opens stdin and stdout and loads crash reporting. */
const { process } = globalThis;

export const { env, versions } = process;
