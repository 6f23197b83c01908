import { htmlPage } from '../shared/pages/html-page.ts';

/** HTML page that shows and moves the service's clock. `now` in epoch milliseconds. */
export function clockPage(now: number): string {
  const iso = new Date(now).toISOString();
  return htmlPage({
    title: 'Clock',
    head: '<noscript><meta http-equiv="refresh" content="5"></noscript>',
    style,
    script: clockScript,
    body: `<header><h1>Clock</h1>
<p>Billing, links, sessions and limits follow this clock. It only goes forward, and stays where it is put after a restart.</p></header>
<main>
<p class="now"><time id="now" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time></p>
<p class="moves"><button type="button" data-advance="P1D">+1 day</button> <button type="button" data-advance="P1M">+1 month</button></p>
<p id="state" role="status"></p>
</main>`,
  });
}

/** Shows the running time and sends `POST /_local/clock`. The page's content security policy allows only this script. */
export const clockScript = `
const now = document.querySelector('#now');
const state = document.querySelector('#state');
const buttons = [...document.querySelectorAll('button[data-advance]')];
let [at, since] = [Date.parse(now.dateTime), performance.now()];

function show(iso) {
  if (iso) [at, since] = [Date.parse(iso), performance.now()];
  const text = new Date(at + performance.now() - since).toISOString();
  now.dateTime = text;
  now.textContent = text.slice(0, 10) + ' ' + text.slice(11, 19) + ' UTC';
}

async function move(advance) {
  for (const button of buttons) button.disabled = true;
  state.textContent = 'Moving the clock…';
  try {
    const body = JSON.stringify({ advance });
    const response = await fetch('/_local/clock', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const reply = await response.json();
    if (reply.now) show(reply.now);
    state.textContent = reply.error ?? (reply.done ? 'Done: everything due until then has happened.' : 'Moved. The work due until then is still running.');
  } catch {
    state.textContent = 'The service cannot be reached.';
  }
  for (const button of buttons) button.disabled = false;
}

document.addEventListener('click', ({ target }) => {
  const advance = target.closest('button[data-advance]')?.dataset.advance;
  if (advance) move(advance);
});
setInterval(() => show(), 1000);
`;

const style = `
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { padding-block: 2rem 1.25rem; }
h1 { margin: 0; font-size: 1.6rem; letter-spacing: -.01em; }
header p, #state { margin: 0; color: var(--dim); }
main { max-width: 44rem; display: grid; gap: 1rem; padding-block: 1.5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); width: calc(100% - 2rem); }
main p { margin: 0; }
.now { font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.moves { display: flex; flex-wrap: wrap; gap: .5rem; }
button:disabled { opacity: .6; cursor: default; }
#state { min-height: 1.5em; }
`;
