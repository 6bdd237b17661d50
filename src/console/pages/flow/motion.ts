const REDUCED = '(prefers-reduced-motion: reduce)'

/** Returns how long the canvas takes to move, milliseconds: no time for who wants no motion. */
export const motionMs = (): number => (matchMedia(REDUCED).matches ? 0 : 150)
