#!/usr/bin/env node
import { bundleSizes } from '#lib/constructs/function-code.ts';

/** Lists the start-up size of each function in KiB with its budget. Fails if one exceeds its budget. */
const KiB = 1024;
const sizes = await bundleSizes();
for (const { id, bytes, budget } of sizes) {
  const mark = bytes > budget ? '  above its budget' : '';
  console.log(`${(bytes / KiB).toFixed(0).padStart(5)} of ${budget / KiB}  ${id}${mark}`);
}
if (sizes.some(({ bytes, budget }) => bytes > budget)) process.exitCode = 1;
