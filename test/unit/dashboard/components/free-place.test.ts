import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Area, freePlace, isFree, minCovering } from '../../../../dashboard/src/components/free-place.ts';

const phone = { width: 360, height: 740 };
const toast = { width: 328, height: 60 };
const row = (top: number, height = 40): Area => ({ left: 16, top, width: 328, height });

describe('the position of a toast', () => {
  it('is the bottom right corner if it is free', () => {
    expect(freePlace({ width: 440, height: 60 }, { width: 1280, height: 800 }, [])).toEqual({ left: 824, top: 724 });
  });

  it('is another corner if a button is at the bottom right', () => {
    const button = { left: 1100, top: 740, width: 100, height: 36 };
    expect(freePlace({ width: 440, height: 60 }, { width: 1280, height: 800 }, [button])).toEqual({
      left: 412,
      top: 724,
    });
  });

  it('is between two buttons on a phone', () => {
    const buttons = [row(0), row(200), row(400), row(690)];
    const place = freePlace(toast, phone, buttons);
    expect(place).toBeDefined();
    expect(isFree({ ...place!, ...toast }, buttons)).toBe(true);
  });

  it('covers the smallest possible area if no position is free', () => {
    const buttons = [row(0, 720), row(720, 8)];
    expect(freePlace(toast, phone, buttons)).toBeUndefined();
    expect(minCovering(toast, phone, buttons)?.top).toBe(664);
  });

  it('is inside the window and covers no button, on any page with a free position', () => {
    const area = fc.record({
      left: fc.integer({ min: -50, max: 400 }),
      top: fc.integer({ min: -50, max: 800 }),
      width: fc.integer({ min: 1, max: 200 }),
      height: fc.integer({ min: 1, max: 80 }),
    });
    const property = fc.property(fc.array(area, { maxLength: 20 }), (obstacles) => {
      const place = freePlace(toast, phone, obstacles);
      fc.pre(place !== undefined);
      expect(isFree({ ...place, ...toast }, obstacles)).toBe(true);
      expect(place.top).toBeGreaterThanOrEqual(0);
      expect(place.top + toast.height).toBeLessThanOrEqual(phone.height);
      expect(place.left + toast.width).toBeLessThanOrEqual(phone.width);
    });
    fc.assert(property);
  });
});
