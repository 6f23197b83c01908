/**
 * The script of the phone's page: looks for what is new while it is seen, and plays a call once it is taken. It has its text in the page, as
 * it was escaped there; the policy of the page lets this script run and no other.
 */
export const phoneScript = `
const taken = new Set();
let current;

const buttons = () => [...document.querySelectorAll('button[data-call]')];

function paint() {
  for (const button of buttons()) {
    const { call, ringing } = button.dataset;
    const isCurrent = current?.call === call;
    const isRinging = ringing === 'true' && !taken.has(call);
    button.closest('li').classList.toggle('ringing', isRinging);
    button.textContent = isCurrent ? 'Hang up' : taken.has(call) ? 'Listen again' : isRinging ? 'Take the call' : 'Listen';
  }
}

function hangUp() {
  current?.audio.pause();
  current = undefined;
  paint();
}

function report(call, text) {
  const note = buttons().find((button) => button.dataset.call === call)?.parentElement.querySelector('.note');
  if (note) note.textContent = text;
}

async function explain(call, url) {
  const response = await fetch(url).catch(() => undefined);
  const { error = 'The call could not be heard.' } = (await response?.json().catch(() => undefined)) ?? {};
  report(call, error);
}

function take(call) {
  const url = '/_local/phone/call?id=' + encodeURIComponent(call);
  const audio = new Audio(url);
  const end = (act) => () => {
    if (current?.audio !== audio) return;
    hangUp();
    act?.();
  };
  audio.addEventListener('ended', end());
  audio.addEventListener('error', end(() => explain(call, url)));
  taken.add(call);
  current = { call, audio };
  report(call, '');
  paint();
  audio.play().catch(() => undefined);
}

document.addEventListener('click', ({ target }) => {
  const call = target.closest('button[data-call]')?.dataset.call;
  if (call === undefined) return;
  const isCurrent = current?.call === call;
  hangUp();
  if (!isCurrent) take(call);
});

let seen = document.querySelector('main').innerHTML;

async function look() {
  const response = await fetch('/_local/phone').catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const main = page.querySelector('main');
  if (!main || main.innerHTML === seen) return;
  seen = main.innerHTML;
  const focused = document.activeElement?.dataset.call;
  document.querySelector('main').replaceWith(document.adoptNode(main));
  if (document.title !== page.title) document.querySelector('#news').textContent = page.title;
  document.title = page.title;
  paint();
  buttons().find((button) => button.dataset.call === focused)?.focus();
}

setInterval(() => document.hidden || look(), 2000);
document.addEventListener('visibilitychange', () => document.hidden || look());
paint();
`;
