/** Words of a mood, in the languages that the demo engine knows a little. */
const good =
  words(`amazing awesome beautiful best brilliant charming comfortable delicious delighted easy elegant enjoy enjoyed excellent
  fantastic fast favourite fine friendly glad good gorgeous great happy helpful impressed love loved lovely nice outstanding perfect perfectly
  pleasant pleased quick recommend recommended reliable satisfied smooth splendid sturdy superb thanks thrilled well wonderful
  bon bonne excellent génial magnifique merveilleux parfait rapide super gut hervorragend perfekt schnell schön toll wunderbar zufrieden
  bueno buena excelente perfecto rápido encantador bello buono ottimo perfetto veloce`);

const bad =
  words(`annoyed annoying awful bad broke broken complaint cracked damaged defective disappointed disappointing dirty dreadful expensive
  fail failed fails faulty filthy hate hated horrible late leaks lost mediocre mess missing noisy poor poorly regret returned rude sad scratched
  slow smelly terrible ugly unhappy unreliable useless waste weak worse worst wrong
  cassé déçu horrible lent mauvais mauvaise nul defekt enttäuscht kaputt langsam schlecht schlimm furchtbar
  lento malo mala horrible roto terrible brutto cattivo pessimo rotto`);

const negations = words('not no never hardly isn wasn don doesn didn nicht kein keine pas jamais non nunca mai');

/** The mood of a text by its words; one after a negation counts as its opposite. */
export function moodOf(text: string): 'positive' | 'negative' | 'neutral' | 'mixed' {
  const all = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = { good: 0, bad: 0 };
  all.forEach((word, index) => {
    const isGood = good.has(word);
    if (!isGood && !bad.has(word)) return;
    const isNegated = all.slice(Math.max(index - 3, 0), index).some((before) => negations.has(before));
    count[isGood === isNegated ? 'bad' : 'good'] += 1;
  });
  if (count.good > 0 && count.bad > 0 && Math.min(count.good, count.bad) * 3 >= Math.max(count.good, count.bad))
    return 'mixed';
  if (count.good === count.bad) return 'neutral';
  return count.good > count.bad ? 'positive' : 'negative';
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}
