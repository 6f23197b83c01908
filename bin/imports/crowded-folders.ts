import { readdirSync } from 'node:fs';

/** Files of code beside a folder's own folders, at most: a folder of more has two subjects. */
const maxFiles = 12;

/** The folders under `roots` that have more, by their paths from the repository's root. */
export function crowdedFolders(roots: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const root of roots)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && /\.tsx?$/.test(entry.name))
        counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > maxFiles).map(([folder, count]) => `${folder} (${count})`);
}
