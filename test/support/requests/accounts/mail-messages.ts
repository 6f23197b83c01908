import { globSync, readFileSync } from 'node:fs';
import { parseSync, type TaggedTemplateExpression } from '@swc/core';

/** The messages of all en`…` in the source, as `en` makes them of its text and of the names of its values. */
export function messagesOfSource(): readonly string[] {
  const found = new Set<string>();
  for (const file of globSync('functions/**/*.ts')) {
    const source = readFileSync(file, 'utf8');
    if (!source.includes('en`')) continue;
    visit(parseSync(source, { syntax: 'typescript' }), (template) => found.add(messageOf(template, file)));
  }
  return [...found];
}

function visit(node: unknown, onTemplate: (template: TaggedTemplateExpression) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (isEnglish(node)) onTemplate(node);
  for (const child of Object.values(node)) visit(child, onTemplate);
}

const isEnglish = (node: object): node is TaggedTemplateExpression =>
  'type' in node &&
  node.type === 'TaggedTemplateExpression' &&
  'tag' in node &&
  (node.tag as { value?: string }).value === 'en';

function messageOf({ template }: TaggedTemplateExpression, file: string): string {
  const [first, ...rest] = template.quasis.map(({ cooked }) => cooked ?? '');
  return template.expressions.reduce((message, expression, index) => {
    const [property] = expression.type === 'ObjectExpression' ? expression.properties : [];
    const name = property?.type === 'Identifier' ? property.value : undefined;
    const [key, value] =
      property?.type === 'KeyValueProperty' && property.key.type === 'Identifier'
        ? [property.key.value, property.value]
        : [name, undefined];
    if (key === undefined) throw new Error(`${file}: a value of "${first}" has no name`);
    const choices = value?.type === 'CallExpression' ? pluralOf(value.arguments.map((one) => one.expression)) : '';
    return `${message}{${key}${choices}}${rest[index]}`;
  }, first ?? '');
}

function pluralOf([, one, other]: readonly { type: string; value?: unknown }[]): string {
  return one?.type === 'StringLiteral' ? `, plural, one {${String(one.value)}} other {${String(other?.value)}}` : '';
}
