import { describe, expect, it } from 'vitest';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { callMsOf } from '#test/process-usage.ts';
import { estimateTokens } from '../../../../../dashboard/src/pages/playground/tab/estimate-tokens.ts';

/** Prose as people write it in a chat. */
const texts = {
  English:
    'The river rises in the hills above the town, gathers the water of seven valleys, and reaches the plain in spring. Nobody remembers who built the first bridge; the second one was paid for by the merchants, who wanted a shorter way to the market.',
  instructions:
    "You're a careful assistant. Answer in two sentences at most, don't invent sources, and say \"I don't know\" where that's the case. If the user asks for code, use TypeScript 5.9 with strict settings.",
  German:
    'Der Fluss entspringt in den Hügeln über der Stadt, sammelt das Wasser aus sieben Tälern und erreicht im Frühling die Ebene. Niemand erinnert sich daran, wer die erste Brücke gebaut hat.',
  French:
    "La rivière prend sa source dans les collines au-dessus de la ville, recueille l'eau de sept vallées et atteint la plaine au printemps. Personne ne sait plus qui a construit le premier pont.",
  Russian:
    'Река берёт начало в холмах над городом, собирает воду семи долин и весной достигает равнины. Никто не помнит, кто построил первый мост.',
  Arabic:
    'ينبع النهر من التلال فوق المدينة، ويجمع مياه سبعة أودية، ويصل إلى السهل في الربيع. لا أحد يتذكر من بنى الجسر الأول.',
  Chinese: '这条河发源于城镇上方的山丘,汇集了七个山谷的水,在春天到达平原。没有人记得是谁建造了第一座桥。',
  Japanese:
    'この川は町の上の丘に源を発し、七つの谷の水を集めて、春に平野に達する。最初の橋を誰が架けたのか、誰も覚えていない。',
  Korean:
    '이 강은 마을 위의 언덕에서 발원하여 일곱 골짜기의 물을 모아 봄에 평야에 이른다. 첫 번째 다리를 누가 놓았는지 아무도 기억하지 못한다.',
  TypeScript:
    "export async function load(id: string): Promise<User | undefined> {\n  const response = await fetch(`/api/users/${id}`, { headers: { accept: 'application/json' } });\n  if (!response.ok) return undefined;\n  return User.parse(await response.json());\n}\n",
  Python:
    'def similarities(vectors):\n    lengths = [math.sqrt(sum(x * x for x in v)) for v in vectors]\n    return [[dot(a, b) / (la * lb) for b, lb in zip(vectors, lengths)] for a, la in zip(vectors, lengths)]\n',
  JSON: '[\n  {\n    "name": "find_weather",\n    "description": "The weather of a city",\n    "parameters": { "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }\n  }\n]',
  Markdown:
    '## Steps\n\n1. **Install** the package with `npm install openai`.\n2. Set the *base URL*.\n\n| Model | Window |\n| --- | --- |\n| svc-1 | 4,096 |\n',
  Turkish:
    'Toplantı perşembe gününe ertelendi çünkü ekibin yarısı hasta. Lütfen yeni gündemi yarın akşama kadar bütün katılımcılara gönder.',
  Vietnamese:
    'Cuộc họp được dời sang thứ năm vì một nửa nhóm bị ốm. Hãy gửi chương trình mới cho tất cả mọi người trước tối mai.',
  Thai: 'การประชุมถูกเลื่อนไปเป็นวันพฤหัสบดีเพราะครึ่งหนึ่งของทีมป่วย กรุณาส่งวาระใหม่ให้ผู้เข้าร่วมทุกคน',
  emoji: 'Great work 🎉🎉 see you tomorrow 👋 and thanks ❤️ for the cake 🍰',
};

const dutch =
  'De vergadering is verplaatst naar donderdag omdat de helft van het team ziek is. Stuur alsjeblieft de nieuwe agenda naar alle deelnemers.';

const ratioOf = async (text: string) => estimateTokens(text) / (await bpeTokenizer.count(text));

describe('an estimate of tokens', () => {
  it.each(Object.entries(texts))('is within a fifth of the count in %s', async (_, text) => {
    const ratio = await ratioOf(text);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
  });

  it('is at most 36% too low in Dutch, which resembles English', async () => {
    expect(await ratioOf(dutch)).toBeGreaterThan(0.64);
  });

  it('is 0 for an empty text', () => {
    expect(estimateTokens('')).toBe(0);
  });

  it('takes less than 500 ms for a full context, for any text', () => {
    for (const text of ['a', ' ', '.', '中', '🎉', "'", 'é', '\u0301', 'a.', '\n ']) {
      const ms = callMsOf(() => estimateTokens(text.repeat(200_000 / text.length)));
      expect([text, ms < 500]).toEqual([text, true]);
    }
  });
});
