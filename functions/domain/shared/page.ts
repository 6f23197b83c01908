/** A part of a list; `next` is the cursor of the part after it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
