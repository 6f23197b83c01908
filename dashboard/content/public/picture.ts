import { crc32, deflateSync } from 'node:zlib';
import { brand } from '#contract/shared/html.ts';

/** Image for link previews, which accept PNG but not SVG, and crop other proportions (Open Graph). */
export const pictureFile = 'preview.png';
export const pictureSize = { width: 1200, height: 630 } as const;

type Color = readonly [red: number, green: number, blue: number, alpha: number];
/** Distance in the mark's 32 × 32 grid to a shape's edge, negative inside. */
type Shape = (x: number, y: number) => number;
type Paint = readonly [Shape, Color];

/** The mark of favicon.svg: ever shorter lines of text, and a coin. */
const grid = 32;
const marks: readonly Paint[] = [
  ...[
    [8, 24, 10],
    [8, 18, 16],
    [8, 13, 22],
  ].map(([from = 0, to = 0, y = 0]): Paint => [line(from, to, y), colorOf('#ffffff')]),
  [(x, y) => Math.hypot(x - 22.5, y - 21) - 3.5, colorOf(brand.coin)],
];
const ground = colorOf(brand.accent);

export function previewPicture(): Buffer {
  const { width, height } = pictureSize;
  const scale = height / 1.5 / grid;
  const [left, top] = [(width - grid * scale) / 2, (height - grid * scale) / 2];
  return png(width, height, (x, y) => painted(ground, marks, (x - left) / scale, (y - top) / scale, scale));
}

/** An icon of 32 × 32 pixels: one PNG in the ICO container, which browsers accept since 2007. */
export function faviconIco(): Buffer {
  const tile: Paint = [roundedSquare(grid, 8), ground];
  const image = png(grid, grid, (x, y) => painted([0, 0, 0, 0], [tile, ...marks], x, y, 1));
  const header = Buffer.alloc(22);
  // Reserved, type 1 (icon), one image.
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  // Width, height, palette and a reserved byte; then planes, bits per pixel, bytes and offset of the image.
  header.writeUInt8(grid, 6);
  header.writeUInt8(grid, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(image.byteLength, 14);
  header.writeUInt32LE(header.byteLength, 18);
  return Buffer.concat([header, image]);
}

/** Color of a pixel after painting shapes in order. Edges are blended over one pixel. */
function painted(base: Color, paints: readonly Paint[], x: number, y: number, scale: number): Color {
  return paints.reduce<Color>((under, [shape, over]) => {
    const cover = Math.min(1, Math.max(0, 0.5 - shape(x, y) * scale));
    if (cover === 0) return under;
    const alpha = cover + (under[3] / 255) * (1 - cover);
    const mix = (at: 0 | 1 | 2): number => (over[at] * cover + under[at] * (under[3] / 255) * (1 - cover)) / alpha;
    return [mix(0), mix(1), mix(2), 255 * alpha];
  }, base);
}

/** A horizontal line of width 3 with round ends. */
function line(from: number, to: number, y: number): Shape {
  return (x, atY) => Math.hypot(x - Math.min(Math.max(x, from), to), atY - y) - 1.5;
}

function roundedSquare(size: number, radius: number): Shape {
  const [half, inner] = [size / 2, size / 2 - radius];
  return (x, y) => {
    const [dx, dy] = [Math.abs(x - half) - inner, Math.abs(y - half) - inner];
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
  };
}

function colorOf(hex: string): Color {
  const [red = 0, green = 0, blue = 0] = Buffer.from(hex.slice(1), 'hex');
  return [red, green, blue, 255];
}

/** Encodes 8-bit RGBA without filters (PNG, third edition). */
function png(width: number, height: number, pixel: (x: number, y: number) => Color): Buffer {
  const stride = 1 + 4 * width;
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows.set(pixel(x + 0.5, y + 0.5).map(Math.round), y * stride + 1 + 4 * x);
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.byteLength, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}
