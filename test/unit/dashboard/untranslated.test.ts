import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../../dashboard/src');
const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !file.endsWith('.d.ts'));
/** A file's catalogue (dashboard/lingui.config.ts). */
const areaOf = (file: string) => (file.startsWith('pages/') ? /^pages\/(?:[\w-]+\/)?/.exec(file)?.[0] : 'frame') ?? '';
const areas = [...new Set(files.map(areaOf))].toSorted();

/** Files whose strings are shown in every language as they are. */
const untranslatedFiles: Readonly<Record<string, string>> = {
  'lib/code/': 'code samples',
  'pages/playground/markdown/': 'the syntax of Markdown',
  'pages/webhooks/verify-snippets.ts': 'code samples',
};

/** Names, protocols and code among the texts. */
const untranslatedTexts: Readonly<Record<string, RegExp>> = {
  fonts: /sans-serif|monospace/,
  'brands of cards': /^(American Express|Diners Club)$/,
  'ids of services in the contract': /^text (analysis|completion)$/,
  selectors: /\[role=/,
  'a summary of the contract, which is not shown': /^List the organizations$/,
  'keys of the keyboard':
    /^(Ctrl K|Esc|Enter|Escape|Tab|Home|End|Backspace|Delete|Page(Up|Down)|Arrow(Up|Down|Left|Right)|Ctrl|Alt)$/,
  'languages and tools':
    /^(Python|Java|Node\.js|JavaScript|TypeScript|Go|Google|Markdown|cURL|OpenAI|Anthropic|Stripe)$/,
  'names of errors': /^\w*Error$/,
  'CSS values and media queries':
    /(^|[\s(])(var|calc|min|max|minmax|repeat|color-mix)\(|^\(|\d(px|rem|em|fr|%|ms|s)\b|^(auto|none|0|1fr) /,
  'code samples': /^(const |for await|console\.|import |-H |\\n\))/,
  'samples of input in English, which the request names': /^Good morning/,
  'values of HTTP': /^(Bearer$|Idempotency-Key|Content-Type|Retry-After|X-)/,
};

/** Texts of single files: data of the service, or errors that the page words elsewhere. */
const otherTexts: ReadonlySet<string> = new Set([
  'lib/offer.ts Playground',
  'lib/load.ts The code of this page could not be loaded.',
  'components/boundary.tsx Something went wrong',
  "components/boundary.tsx Can't reach the server. Check your connection, then reload the page.",
  'components/boundary.tsx Reload',
]);

/** Attributes and properties with values for the program. */
const codeNames =
  /^(className|classNames|style|key|href|src|to|type|role|rel|target|id|htmlFor|name|viewBox|d|points|transform|autoComplete|component|variant|color|tone|icon|size|align|justify|wrap|display|position|gap|value|defaultValue|accept|pattern|queryKey|mutationKey|data-[\w-]+|aria-(live|haspopup|controls|labelledby|describedby|current)|fill|stroke\w*|m[xytbse]?|p[xytbse]?|flex|grid\w*|gridTemplate\w*)$/;
const codeCalls =
  /^(Error|CodeLoadError|TypeError|RegExp|querySelector|querySelectorAll|closest|matches|matchMedia|addEventListener|removeEventListener|createElement|getItem|setItem|includes|startsWith|endsWith|split|replace|replaceAll|has|get|append|set|useMediaQuery|fetch)$/;
const macros = /^(Trans|Plural|Select|SelectOrdinal|t|msg|plural|select|selectOrdinal|defineMessage)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const isSuper = (node: unknown): boolean => isNode(node) && node.type === 'Super';
/** An attribute's value, also in braces. */
const partOf = (node: unknown): unknown =>
  isNode(node) && node.type === 'JSXExpressionContainer' ? node['expression'] : node;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const nameOf = (node: unknown): string => {
  if (!isNode(node)) return '';
  if (typeof node['name'] === 'string') return node['name'];
  if (node.type === 'JSXNamespacedName') return `${nameOf(node['namespace'])}:${nameOf(node['name'])}`;
  return nameOf(node['property'] ?? node['name'] ?? node['key']) || textOf(node['value']);
};

/** A sentence, or a capitalized word. */
const isText = (text: string): boolean =>
  /\p{L}[,.:;]? \p{L}/u.test(text) || /^\s*\p{Lu}\p{Ll}+[\s.:!?…]*$/u.test(text);

/** The strings below a node that a person could read, unless a macro of Lingui contains them. */
function textsIn(node: unknown, isInMacro = false): { at: number; text: string }[] {
  if (Array.isArray(node)) return node.flatMap((one) => textsIn(one, isInMacro));
  if (!isNode(node)) return [];
  const parts = (...names: string[]) => names.flatMap((name) => textsIn(node[name], isInMacro));
  const found = (text: unknown) =>
    typeof text === 'string' && !isInMacro && isText(text) ? [{ at: node.start, text: text.trim() }] : [];
  switch (node.type) {
    case 'Literal':
      return found(node['value']);
    case 'TemplateElement':
      return found((node['value'] as { raw: string }).raw);
    case 'JSXText':
      return !isInMacro && /\p{L}{2}/u.test(String(node['value']))
        ? [{ at: node.start, text: String(node['value']).trim() }]
        : [];
    case 'JSXElement': {
      const opening = node['openingElement'] as Node;
      const isMacro = macros.test(nameOf(opening['name']));
      return [...textsIn(opening['attributes'], isMacro), ...textsIn(node['children'], isInMacro || isMacro)];
    }
    case 'JSXAttribute':
    case 'Property':
      if (codeNames.test(nameOf(node['name'] ?? node['key']))) return [];
      return textsIn(partOf(node['value']), isInMacro);
    case 'JSXExpressionContainer':
      // A value inside a message is not part of its text.
      return textsIn(node['expression']);
    case 'TaggedTemplateExpression':
      return textsIn(node['quasi'], macros.test(nameOf(node['tag'])));
    case 'TemplateLiteral':
      return [...parts('quasis'), ...textsIn(node['expressions'])];
    case 'CallExpression':
    case 'NewExpression': {
      const name = nameOf(node['callee']);
      // The constructor of an error.
      if (codeCalls.test(name) || isSuper(node['callee'])) return [];
      return [...parts('callee'), ...textsIn(node['arguments'], isInMacro || macros.test(name))];
    }
    case 'BinaryExpression':
      return /^[=!]==?$/.test(String(node['operator'])) ? [] : parts('left', 'right');
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportNamedDeclaration':
      return node['source'] ? [] : parts('declaration');
    case 'SwitchCase':
      return parts('consequent');
    default:
      return node.type.startsWith('TS') && !node.type.endsWith('Expression')
        ? []
        : Object.entries(node).flatMap(([name, part]) =>
            name === 'parent' ? [] : textsIn(part, isInMacro && node.type !== 'JSXAttribute'),
          );
  }
}

function untranslatedOf(file: string): string[] {
  if (Object.keys(untranslatedFiles).some((one) => file.startsWith(one))) return [];
  const code = readFileSync(join(source, file), 'utf8');
  return textsIn(parseSync(file, code).program)
    .filter(({ text }) => !Object.values(untranslatedTexts).some((pattern) => pattern.test(text)))
    .filter(({ text }) => !otherTexts.has(`${file} ${text}`))
    .map(({ at, text }) => `${relative('.', file)}:${code.slice(0, at).split('\n').length} ${text}`);
}

describe('text of the dashboard', () => {
  it.each(areas)('is marked for translation in %s', (area) => {
    expect(files.filter((file) => areaOf(file) === area).flatMap(untranslatedOf)).toEqual([]);
  });

  it.each([
    ['<p>Buy credits</p>', 1],
    ['<p>Buy <Link href="/b">credits</Link></p>', 2],
    ['<Trans>Buy <Link href="/b">credits</Link></Trans>', 0],
    ['<Trans>Buy <Link title="More credits">credits</Link></Trans>', 1],
    ['<p title="Credits" className="Some thing">{t`Buy credits`}</p>', 1],
    ['<Plural value={n} one="# of your keys" other={`# of your keys, ${all}`} />', 0],
    ['f({ title: "Buy credits", label: msg`Buy credits`, one: t`in ${isLate ? "a day" : days}` })', 2],
    ['f(plural(n, { one: "# key", other: "# of your keys" }), isOpen && "Open", `Buy ${n} credits`)', 2],
  ])('finds text in %s', (code, count) => {
    expect(textsIn(parseSync('sample.tsx', code).program)).toHaveLength(count);
  });
});
