import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files and folders, in the order in which they start. Without durations of an earlier run, Vitest starts
 * large files first, but some long files only call the tests of other modules, or start many processes.
 */
const longest = [
  '/test/browser/pages/every-page',
  '/test/browser/dashboard/',
  '/test/browser/accounts/accounts-and-settings',
  '/test/browser/playground/playground',
  '/test/browser/payments/',
  '/test/browser/organizations/organizations',
  '/test/browser/playground/audio/',
  '/test/browser/accounts/shared-browser',
  '/test/browser/pages/pages',
  '/test/docs/new-endpoint',
  '/test/local/start/command',
  '/test/local/payments/changed-prices',
  '/test/attack/',
];

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
