/** What the demo engine's sentences are made of. */

export const openers = list(`
  At first sight|In practice|On a closer look|To be fair|In the long run|For most readers|Seen from a
  distance|With some patience|In plain words|Put differently|All the same|Step by step`);

export const sides = list(`
  cost|timing|habit|scale|trust|language|measure|detail|order|purpose|balance|memory|distance|effort|proof|taste`);

export const claims = list(`
  that changes with the next fact|a small test tells more than a long debate|the simple reading is often
  the right one|two people may well differ about it|nothing here is decided yet|the details carry most of
  the weight|it helps to write the steps down|a real model would have more to say|the order of things
  matters|the next message can settle it|it is easier to show than to tell|the limits are as telling as
  the goal`);

export const people = list(`
  a mapmaker|an old ferryman|two sisters|the clockmaker|a travelling cook|the night librarian|a patient
  engineer|the youngest apprentice|a retired pilot|the beekeeper|a quiet translator|the station master`);

export const moments = list(`
  At first light|By noon|Later that week|When the rain stopped|Long before winter|After the last train|On
  the third day|Without any hurry|As the lamps were lit|Between two bells|The next morning|Much to
  everyone’s surprise`);

export const actions = list(`
  found|carried|repaired|remembered|described|lost and found again|painted|traded|counted|guarded|asked
  for|put away`);

export const objects = list(`
  a brass key|an unfinished letter|a lantern without oil|the wrong map|a basket of pears|a very small
  door|the only spare wheel|a box of quiet bells|an unlikely promise|a song without a name`);

export const places = list(`
  by the harbour|under the stairs|at the edge of the village|in the glass house|on the slow boat|behind
  the market|near the old mill|above the clouds|beside the canal|in the reading room|along the northern
  road|at the far end of the bridge`);

function list(text: string): readonly string[] {
  return text.split('|').map((item) => item.trim().replaceAll(/\s+/g, ' '));
}
