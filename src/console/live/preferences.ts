/** How this device shows the console. */
export interface Preferences {
  theme: 'auto' | 'light' | 'dark'
  density: 'comfortable' | 'compact'
  /** Widths of the list and of the contact beside the thread, pixels; `null` as they come. */
  listPx: number | null
  panelPx: number | null
  /** Whether the folders of the inbox stand beside the list where they have room. */
  hasFolders: boolean
  /** Whether single keys work as shortcuts (WCAG 2.1.4). */
  hasKeys: boolean
  /** Whether Enter begins a new line, and Shift with Enter sends. */
  isEnterBreak: boolean
  /** Whether messages make a sound while no tab has the focus. */
  hasSound: boolean
  /** Whether messages also appear as notifications of the system. */
  hasSystemNotices: boolean
}

const NAME = 'preferences'
const DEFAULTS: Preferences = {
  theme: 'auto',
  density: 'comfortable',
  listPx: null,
  panelPx: null,
  hasFolders: true,
  hasKeys: true,
  isEnterBreak: false,
  hasSound: true,
  hasSystemNotices: false,
}

let preferences: Preferences = read()
const listeners = new Set<() => void>()

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(NAME) ?? '{}') as Preferences) }
  } catch {
    return DEFAULTS
  }
}

/** Calls `listener` after every change. Returns a function that stops it. */
export const onPreferences = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns how this device shows the console. */
export const currentPreferences = (): Preferences => preferences

/** Shows the page as this device prefers it. */
export function applyPreferences(): void {
  const { dataset, style } = document.documentElement
  dataset['density'] = preferences.density
  style.colorScheme = preferences.theme === 'auto' ? 'light dark' : preferences.theme
}

/** Changes how this device shows the console. */
export function setPreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change }
  localStorage.setItem(NAME, JSON.stringify(preferences))
  applyPreferences()
  for (const listener of listeners) listener()
}
