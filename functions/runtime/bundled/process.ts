/** `node:process` in a function's code: an import of it opens standard input and output and loads what reports crashes. */
const { process } = globalThis;

export const { env, versions } = process;
