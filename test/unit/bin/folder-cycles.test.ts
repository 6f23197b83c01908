import { describe, expect, it } from 'vitest';
import { folderCycles } from '../../../bin/imports/folder-cycles.ts';

const at = (path: string) => `functions/domain/${path}`;
const imports = (...pairs: [from: string, to: string][]) => pairs.map(([from, to]) => ({ from: at(from), to: at(to) }));
const cycles = (found: ReturnType<typeof imports>) => folderCycles(found, ['functions/domain', 'local']);

describe('folders of a layer', () => {
  it('may import each other in one direction', () => {
    const down = imports(
      ['billing/a.ts', 'meter/a.ts'],
      ['meter/a.ts', 'shared/a.ts'],
      ['billing/b.ts', 'shared/b.ts'],
    );
    expect(cycles(down)).toEqual([]);
  });

  it('may not import each other in both directions, even if no file imports itself', () => {
    const both = imports(['billing/a.ts', 'meter/a.ts'], ['meter/b.ts', 'billing/b.ts']);
    expect(cycles([...both, ...imports(['billing/a.ts', 'shared/a.ts'])])).toEqual(both);
  });

  it('may not form a longer cycle, even through a subfolder or a file next to them', () => {
    const circle = imports(['a/x.ts', 'b/deep/x.ts'], ['b/y.ts', 'beside.ts'], ['beside.ts', 'a/y.ts']);
    expect(cycles(circle)).toEqual(circle);
  });

  it('are independent of the folders of another layer', () => {
    const across = [...imports(['a/x.ts', 'b/x.ts']), { from: at('b/y.ts'), to: 'local/a/x.ts' }];
    expect(cycles([...across, { from: 'local/a/x.ts', to: at('a/y.ts') }])).toEqual([]);
  });
});
