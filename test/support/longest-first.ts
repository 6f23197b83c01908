import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders with the longest files, in the order in which they start. */
const longest = ['/test/browser/pages/every-page', '/test/docs/new-endpoint', '/test/attack/'];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = longest.findIndex((folder) => moduleId.includes(folder));
  return found === -1 ? longest.length : found;
};

/** Starts long files first, even in a fresh clone without the durations of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
