/** Lines of text that shorten, and the coin that is left: words and credits. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#1f7551" />
      <path d="M8 10h16M8 16h10M8 22h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <circle cx="22.5" cy="21" r="3.5" fill="#f0b429" />
    </svg>
  );
}
