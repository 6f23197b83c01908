import { Notifications, notifications, useNotifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import { useLayoutEffect } from 'react';
import { type Area, bestPlace, covered } from './free-place.ts';

export const { show } = notifications;

const position = 'bottom-right';
/**
 * Milliseconds between two checks of the page while a toast is visible, because a dialog may open or a button appear.
 */
const lookMs = 100;

export default function Toasts() {
  const shown = useNotifications().notifications.length;
  useLayoutEffect(() => (shown > 0 ? keepClear() : undefined), [shown]);
  // Keep the limit high: a queued message would be shown too late.
  return <Notifications position={position} autoClose={5000} limit={10} pauseResetOnHover="notification" />;
}

const controls = `button, input, select, textarea, label, [role="button"], [role="menuitem"], [role="option"], [role="tab"]`;

/** Moves the toasts so that they cover no button. */
function keepClear(): () => void {
  const frame = requestAnimationFrame(place);
  const timer = setInterval(place, lookMs);
  window.addEventListener('scroll', place, { capture: true, passive: true });
  window.addEventListener('resize', place);
  return () => {
    cancelAnimationFrame(frame);
    clearInterval(timer);
    window.removeEventListener('scroll', place, { capture: true });
    window.removeEventListener('resize', place);
  };
}

function place(): void {
  // The portal is mounted after the first effects.
  const root = document.querySelector<HTMLElement>(`.mantine-Notifications-root[data-position="${position}"]`);
  if (!root) return;
  const toasts = [...root.querySelectorAll('.mantine-Notification-root')];
  if (toasts.length === 0) return;
  const { left, top, width } = root.getBoundingClientRect();
  // The height of an opening or closing toast is smaller than its content.
  const height = Math.max(root.offsetHeight, ...toasts.map(({ scrollHeight }) => scrollHeight));
  const size = { width, height };
  const window = { width: document.documentElement.clientWidth, height: innerHeight };
  const obstacles = [areasOf(root, controls, window), areasOf(root, 'a[href]', window)] as const;
  const isWithin = top >= 0 && top + height <= window.height && left + width <= window.width;
  if (isWithin && covered({ left, top, ...size }, obstacles.flat()) === 0) return;
  const best = bestPlace(size, window, ...obstacles);
  Object.assign(root.style, { inset: 'auto', left: `${best.left}px`, top: `${best.top}px` });
}

/**
 * Returns the areas of the visible controls. With an open dialog only its controls count, because the page below it is
 * inert.
 */
function areasOf(root: HTMLElement, selector: string, window: Pick<Area, 'width' | 'height'>): Area[] {
  const scope = [...document.querySelectorAll('[aria-modal="true"]')].at(-1) ?? document;
  return [...scope.querySelectorAll(selector)]
    .filter((element) => !root.contains(element) && element.checkVisibility())
    .map((element) => element.getBoundingClientRect())
    .filter(({ top, bottom, left, right }) => bottom > 0 && top < window.height && right > 0 && left < window.width);
}
