/** A call in the code, such as `tool({ … })`, where a value would stand. */
export class CodeCall {
  readonly name: string;
  readonly argument: unknown;

  constructor(name: string, argument: unknown) {
    this.name = name;
    this.argument = argument;
  }
}

/** A line of comment, where there is something to note. */
export const commented = (mark: '#' | '//', note: string | undefined): string =>
  note === undefined ? '' : `${mark} ${note}\n`;

/** How a language writes values; strings and names come out as its literals. */
interface Syntax {
  readonly indent: string;
  readonly string: (text: string) => string;
  readonly name: (text: string) => string;
  readonly word: (value: boolean | null) => string;
  /** Inside the braces of an object on one line. */
  readonly padding: string;
  /** After the last item where each has its own line. */
  readonly lastComma: string;
}

/** A list or an object is on one line where that has no more characters. */
const maxWidth = 88;

/**
 * What a terminal or an editor would obey or hide: control, direction and line separator characters. Every language here
 * reads them escaped; JSON.stringify escapes those below U+0020.
 */
const invisible = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(invisible, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const json: Syntax = {
  indent: '  ',
  string: escaped,
  name: escaped,
  word: String,
  padding: '',
  lastComma: '',
};

const words = new Map([
  [true, 'True'],
  [false, 'False'],
]);
const python: Syntax = {
  ...json,
  indent: '    ',
  word: (value) => (value === null ? 'None' : (words.get(value) ?? '')),
  lastComma: ',',
};

/** In single quotes: of the escapes of JSON only that of the double quote goes. */
const requoted = new Map([
  [String.raw`\"`, '"'],
  ["'", String.raw`\'`],
]);
const quoted = (text: string): string =>
  `'${escaped(text)
    .slice(1, -1)
    .replaceAll(/\\.|'/gs, (one) => requoted.get(one) ?? one)}'`;

const javascript: Syntax = {
  ...json,
  string: quoted,
  // As a plain name it would set the prototype.
  name: (text) => (text === '__proto__' ? `['__proto__']` : /^[A-Za-z_$][\w$]*$/.test(text) ? text : quoted(text)),
  padding: ' ',
  lastComma: ',',
};

/** JSON, Python and JavaScript for a value as JSON has it; `depth` is how far the line is indented already. */
export const jsonLiteral = (value: unknown): string => print(value, json, '');
export const pythonLiteral = (value: unknown, depth = 0): string => print(value, python, python.indent.repeat(depth));
export const javascriptLiteral = (value: unknown, depth = 0): string =>
  print(value, javascript, javascript.indent.repeat(depth));

function print(value: unknown, syntax: Syntax, margin: string): string {
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || value === null) return syntax.word(value);
  if (value instanceof CodeCall) return `${value.name}(${print(value.argument, syntax, margin)})`;
  if (Array.isArray(value))
    return printItems(
      value.map((item) => ['', item]),
      ['[', ']', ''],
      syntax,
      margin,
    );
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== undefined);
  const named = members.map(([name, member]): Item => [`${syntax.name(name)}: `, member]);
  return printItems(named, ['{', '}', syntax.padding], syntax, margin);
}

/** What stands before an item, and the item. */
type Item = readonly [string, unknown];

function printItems(
  items: readonly Item[],
  [open, close, padding]: readonly [string, string, string],
  syntax: Syntax,
  margin: string,
): string {
  if (items.length === 0) return open + close;
  const inner = margin + syntax.indent;
  const parts = items.map(([before, item]) => before + print(item, syntax, inner));
  const line = open + padding + parts.join(', ') + padding + close;
  if (margin.length + line.length <= maxWidth && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${syntax.lastComma}\n${margin}${close}`;
}

/** Between single quotes a shell takes everything as it is, but for the quote that ends them. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request for a terminal; the key is the reader's own. */
export function curlCommand(
  origin: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(headers).map(([name, value]) => `  -H ${shellQuoted(`${name}: ${value}`)} \\\n`);
  return `curl -sN ${shellQuoted(origin + path)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
${more.join('')}  -d ${shellQuoted(jsonLiteral(body))}`;
}
