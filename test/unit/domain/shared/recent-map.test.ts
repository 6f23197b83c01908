import { describe, expect, it } from 'vitest';
import { RecentMap } from '#domain/shared/recent-map.ts';

describe('a map of recent entries', () => {
  it('removes the entry that was set the longest ago when it is full', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  });

  it('removes an entry that is set to undefined, and no other', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', undefined);
    expect(['a', 'b'].map((key) => map.get(key))).toEqual([undefined, 2]);
  });
});
