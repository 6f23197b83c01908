export interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the imports that form cycles between the folders of a layer. A folder includes its subfolders. A file next to
 * the folders counts as its own folder.
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

/** `functions/domain/meter` for `functions/domain/meter/lots.ts`. */
function folderOf(layer: string, path: string): string {
  const [name = ''] = path.slice(layer.length + 1).split('/');
  return `${layer}/${name}`;
}

function reachable(start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set([start]);
  for (const folder of seen) for (const target of targets.get(folder) ?? []) seen.add(target);
  return seen;
}
