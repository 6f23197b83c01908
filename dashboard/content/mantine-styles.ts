import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const styles = new URL('../../node_modules/@mantine/core/styles/', import.meta.url);

/**
 * Brings the styles of each Mantine component that is used into the chunk that the component is in: all of Mantine's would be
 * a sixth of the first load. A component imports the names of its classes last, so the styles of its parts come before its own.
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
