/** Longer than a dialog takes to return the focus to what opened it. */
const afterReturnMs = 50;

/** Takes the keyboard to an element, from a dialog that is being closed. */
export function focusAfterDialog(selector: string): void {
  setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus(), afterReturnMs);
}

/** Takes the keyboard to the page's content where the element that had it is gone or disabled. */
export function rescueFocus(): void {
  setTimeout(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
  }, afterReturnMs);
}
