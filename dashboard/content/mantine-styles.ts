import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const styles = new URL('../../node_modules/@mantine/core/styles/', import.meta.url);

/**
 * Adds the styles of each Mantine component to the chunk of the component. Loading the styles of all components would
 * add a sixth to the first load. A component imports its class names last, so the styles of its parts precede its own.
 */
export function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    apply: 'build',
    transform(code, id) {
      const [, name] = /@mantine\/core\/esm\/.*\/([A-Za-z]+)\.module\.mjs$/.exec(id) ?? [];
      if (name === undefined || !existsSync(fileURLToPath(new URL(`${name}.css`, styles)))) return undefined;
      return { code: `import '@mantine/core/styles/${name}.css';\n${code}`, map: null };
    },
  };
}
