import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take longest, in the order they begin. */
const longest = ['/test/docs/new-endpoint', '/test/attack/'];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = longest.findIndex((folder) => moduleId.includes(folder));
  return found === -1 ? longest.length : found;
};

/** Also in a fresh clone, where no earlier run is known, no long file begins when all others are done. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
