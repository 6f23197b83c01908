/** An error that the user can solve: one sentence for standard error, and the exit code. */
export class Problem extends Error {
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Problem';
    this.exitCode = exitCode;
  }
}

/** Error code of the operating system, such as `ENOSPC`. Undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const diskSentences: Readonly<Record<string, string>> = {
  ENOENT: 'cannot be created',
  EACCES: 'is not writable for this user',
  EPERM: 'is not writable for this user',
  EROFS: 'is on a read-only file system',
  ENOTDIR: 'is not a directory, or lies under a file',
  EEXIST: 'is not a directory, or lies under a file',
  EISDIR: 'has a directory where a file belongs',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is on a disk whose quota is used up',
  EIO: 'is on a disk that reports errors',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a symbolic link to itself',
};

export function dataFolderProblem(folder: string, error: unknown): unknown {
  const sentence = diskSentences[systemCode(error) ?? ''];
  if (!sentence) return error;
  return new Problem(`The data folder ${folder} ${sentence}. Choose another with --data DIR.`, 1, { cause: error });
}

export function errorSentence(error: unknown): string {
  if (error instanceof Problem) return error.message;
  return `The service cannot continue: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export function exitCodeOf(error: unknown): number {
  return error instanceof Problem ? error.exitCode : 1;
}

/** Formats errors that the user cannot solve, for the log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
