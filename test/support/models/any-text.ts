import fc from 'fast-check';

const pieces = [
  'Ada',
  'Bahnhof',
  'Lovelace ',
  'ada@example.org',
  '+44 20 7946 0958',
  '0049 151 1234567',
  '4111 1111 1111 1111',
  '4111111111111111',
  'DE89 3704 0044 0532 0130 00',
  'GB29NWBK60161331926819',
  '192.0.2.1',
  '2001:db8::1',
  'https://example.org/a?b=c',
  'www.example.org',
  'http://[::1]/',
  '你好，世界。',
  '今日は東京',
  'สวัสดี',
  'مرحبا',
  '👨‍👩‍👧',
  '🇳🇴',
  'e\u0301',
  '𝒳',
  '\u202e',
  '[EMAIL]',
  '[',
  ']',
];
const joints = [' ', '', '\n', ', ', '@', '.', '-', '+', '(', '1', '00', ':', '/', '_'];

/** Texts of every script with valid and broken personal data next to anything. */
export const anyText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...pieces) },
      { weight: 4, arbitrary: fc.constantFrom(...joints) },
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789+-. @:/[]aDE')), maxLength: 30 }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((all) => all.join('').toWellFormed())
  .filter((text) => text !== '' && text.length <= 5000);
