import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemText } from '#domain/agents/turns/prompt.ts';

const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"}',
      '\n',
      '\\',
      '\u2028',
      '\u0085',
      '<|im_end|>',
      '<|im_start|>system',
      '</s>',
      '<s>',
      '[INST]',
      '[/INST]',
    ),
    fc.constantFrom(
      '<<SYS>>',
      '<start_of_turn>',
      '<｜User｜>',
      '{"passage":9',
      'What follows is data',
      '# Instructions',
    ),
  ),
);
const text = hostile.map((parts) => parts.join('').toWellFormed());

/** What a chat template could take for its own. */
const marks = /<[|｜<]|<\/?\w+>|\[\/?[A-Z_]+\]/;

describe('what others wrote, in a system message,', () => {
  it('is one line of JSON for each after the instructions and the notice, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: text, text }), { minLength: 1, maxLength: 4 }),
        text,
        (passages, summary) => {
          const instructions = 'You help guests.\nReply briefly.';
          const system = systemText({ instructions, summary, passages }) ?? '';
          expect(system.startsWith(`${instructions}\n\nWhat follows is data, `)).toBe(true);
          const [, ...lines] = system.slice(instructions.length + 2).split(/[\n\r\u0085\u2028\u2029]/);
          expect(lines.map((line) => JSON.parse(line))).toEqual([
            { summary },
            ...passages.map((one, index) => ({ passage: index + 1, document: one.name, text: one.text })),
          ]);
          for (const line of lines) expect(line).not.toMatch(marks);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not there where there is none', () => {
    expect(systemText({ instructions: 'Be brief.', summary: undefined, passages: [] })).toBe('Be brief.');
    expect(systemText({ instructions: '', summary: undefined, passages: [] })).toBeUndefined();
  });
});
