import { readFileSync } from 'node:fs';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { context }: { context: Readonly<Record<string, unknown>> } = JSON.parse(read('cdk.json'));
const decision = read('docs/adr/0030-cdk-feature-flags.md');
const recommended = Object.entries<unknown>(CURRENTLY_RECOMMENDED_FLAGS);

describe('cdk.json', () => {
  it('sets every feature flag that the installed CDK recommends, except those with a reason in ADR 30', () => {
    expect(recommended.length).toBeGreaterThan(80);
    const undecided = recommended.flatMap(([flag]) => (flag in context ? [] : [flag]));
    expect(undecided).toEqual([]);
    const departures = recommended.flatMap(([flag, value]) =>
      JSON.stringify(context[flag]) === JSON.stringify(value) ? [] : [flag],
    );
    const reasons = [...decision.matchAll(/^\| `(@aws-cdk[^`]+)`/gm)].map(([, flag]) => flag);
    expect(new Set(departures)).toEqual(new Set(reasons));
  });

  it('sets no feature flag unknown to the installed CDK', () => {
    const known = new Set(recommended.map(([flag]) => flag));
    expect(Object.keys(context).filter((flag) => !known.has(flag))).toEqual([]);
  });
});
