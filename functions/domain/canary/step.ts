import type { CanaryParts } from './ports.ts';

/** A step of the walk that did not succeed; `cause` is why. */
export class CanaryFailure extends Error {
  override readonly name = 'CanaryFailure';
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`a new user does not get past this step: ${step}`, { cause });
    this.step = step;
  }
}

export async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    throw new CanaryFailure(name, cause);
  }
}

/** How often, and how many ms apart, it looks at what a job does. */
const looks = { max: 60, pauseMs: 500 } as const;

/** The first value that is there, or undefined when the last look saw none. */
export async function eventually<T>(
  { pause }: Pick<CanaryParts, 'pause'>,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let tries = 1; tries < looks.max; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(looks.pauseMs);
  }
  return look();
}
