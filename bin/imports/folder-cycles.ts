/** An import, by the paths of both files from the repository's root. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * The imports by which folders inside a layer meet in a circle: of each, the folder it reaches also leads back. A folder
 * counts with all below it, a file beside the folders counts alone.
 */
export function folderCycles(imports: readonly Import[], layers: readonly string[]): readonly Import[] {
  const meetings = imports.flatMap(({ from, to }) => {
    const layer = layers.find((path) => isIn(path, from) && isIn(path, to));
    if (layer === undefined) return [];
    const [source, target] = [folderOf(layer, from), folderOf(layer, to)];
    return source === target ? [] : [{ from, to, source, target }];
  });
  const targets = new Map<string, Set<string>>();
  for (const { source, target } of meetings) targets.set(source, (targets.get(source) ?? new Set()).add(target));
  return meetings
    .filter(({ source, target }) => reachable(target, targets).has(source))
    .map(({ from, to }) => ({ from, to }));
}

const isIn = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);

/** `functions/domain/meter` of `functions/domain/meter/credits/lots.ts`. */
function folderOf(layer: string, path: string): string {
  const [name = ''] = path.slice(layer.length + 1).split('/');
  return `${layer}/${name}`;
}

function reachable(start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set([start]);
  for (const folder of seen) for (const target of targets.get(folder) ?? []) seen.add(target);
  return seen;
}
