import { useEffect, useRef } from 'react'

import { currentPreferences } from '../live/preferences'
import type { TextKey } from '../texts/texts'

/** The key that leads to each place after G. */
export const PLACE_KEYS = {
  '/inbox': 'i',
  '/contacts': 'c',
  '/campaigns': 'm',
  '/templates': 'p',
  '/bot': 'b',
  '/search': 'f',
  '/transfers': 't',
  '/analytics': 'a',
  '/settings': 's',
  '/server': 'v',
} as const

/**
 * What a key does; any of several. Keys that are pressed together, or after each other, stand with
 * spaces between them. `Mod` is Ctrl, on Apple's keyboards ⌘.
 */
type Key = [keys: string[], text: TextKey]

/** All keys but those of places, in groups, as people read them (`?`). */
export const KEYS: readonly { group: TextKey; keys: readonly Key[] }[] = [
  {
    group: 'shell.keys.everywhere',
    keys: [
      [['Mod K'], 'shell.keys.palette'],
      [['?'], 'shell.keys.help'],
      [['Mod S'], 'shell.keys.save'],
      [['Esc'], 'shell.keys.escape'],
    ],
  },
  {
    group: 'shell.keys.lists',
    keys: [
      [['J', '↓'], 'shell.keys.next'],
      [['K', '↑'], 'shell.keys.previous'],
      [['Home', 'End'], 'shell.keys.ends'],
      [['Enter'], 'shell.keys.open'],
      [['X', 'Space'], 'shell.keys.select'],
      [['Shift X', 'Shift Space'], 'shell.keys.select-range'],
      [['Shift ↓', 'Shift ↑'], 'shell.keys.select-next'],
      [['Shift ↓', 'Shift ↑'], 'shell.keys.move-row'],
      [['M', 'Shift F10'], 'shell.keys.row-menu'],
      [['Delete'], 'shell.keys.delete'],
      [['P'], 'shell.keys.next-transfer'],
    ],
  },
  {
    group: 'shell.keys.conversation',
    keys: [
      [['C'], 'shell.keys.new-message'],
      [['R'], 'shell.keys.reply'],
      [['N'], 'shell.keys.note'],
      [['T'], 'shell.keys.template'],
      [['/'], 'shell.keys.canned'],
      [['Mod Shift Enter'], 'shell.keys.send-close'],
      [['E'], 'shell.keys.close'],
      [['A', 'H'], 'shell.keys.assign'],
      [['S'], 'shell.keys.snooze'],
      [['L'], 'shell.keys.tag'],
      [['U'], 'shell.keys.unread'],
    ],
  },
  {
    group: 'shell.keys.flow',
    keys: [
      [['Tab', '↑ ↓ ← →'], 'shell.keys.flow-next'],
      [['Enter'], 'shell.keys.flow-edit'],
      [['Alt ↑', 'Alt ↓'], 'shell.keys.flow-move'],
      [['Delete'], 'shell.keys.flow-delete'],
      [['Mod Z'], 'shell.keys.flow-undo'],
      [['Mod Shift Z'], 'shell.keys.flow-redo'],
      [['Mod C', 'Mod V'], 'shell.keys.flow-copy'],
      [['P'], 'shell.keys.flow-test'],
    ],
  },
]

/** What keys do, by their name (`keyName`). One whose work returns `false` keeps its usual meaning. */
export type Keys = Record<string, () => unknown>

const FIELDS =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=dialog], [role=listbox]'

/** Whether a key is typed into a field or belongs to an open menu or dialog. */
const isTaken = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.closest(FIELDS) !== null

/** Whether a key writes something. Only such ones can be switched off. */
const isSign = ({ key }: KeyboardEvent): boolean => key.length === 1 && key !== ' '

/** Whether a key press is one without Ctrl, ⌘ and Alt, and wanted. */
export const isPlainKey = (event: KeyboardEvent): boolean =>
  !event.metaKey &&
  !event.ctrlKey &&
  !event.altKey &&
  (currentPreferences().hasKeys || !isSign(event))

/** Whether a key press is one of a single key outside of fields. */
const isForPage = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented && isPlainKey(event) && !isTaken(event)

/** Keys of other scripts that stand for the ones that the console knows. */
const SAME: Record<string, string> = { '؟': '?', '÷': '/' }

/**
 * Returns the key of a shortcut. On a keyboard of another script it is the Latin letter at the same
 * place.
 */
export function shortcutKey({
  key,
  code,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  const isLatin = /^\p{ASCII}/u.test(key)
  if (isLatin || !code.startsWith('Key')) return SAME[key] ?? key
  const letter = code.slice('Key'.length)
  return shiftKey ? letter : letter.toLowerCase()
}

/**
 * Returns the name of a key press: the key of its shortcut, after `Shift+` if that is held. Where a
 * sign needs Shift depends on the keyboard, so it never counts for signs.
 */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  const key = shortcutKey(event)
  const isMark = /^[^\p{L}\p{N} ]$/u.test(key)
  return event.shiftKey && !isMark ? `Shift+${key}` : key
}

/** Does something when a single key is pressed outside of fields. Letters can be switched off. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return
      const work = latest.current[keyName(event)]
      if (work && work() !== false) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
    }
  }, [])
}

/** Time in which the second of two keys must follow the first, milliseconds. */
const SECOND_MS = 1_500

/** Does something when `first` and then another key are pressed. No other shortcut sees the second. */
export function useSecondKeys(first: string, keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    let pressedMs = -SECOND_MS
    const onKey = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return
      const nowMs = performance.now()
      const key = shortcutKey(event)
      const work = nowMs - pressedMs < SECOND_MS ? latest.current[key] : undefined
      pressedMs = key === first ? nowMs : -SECOND_MS
      if (!work) return
      event.preventDefault()
      event.stopPropagation()
      work()
    }
    globalThis.addEventListener('keydown', onKey, true)
    return () => {
      globalThis.removeEventListener('keydown', onKey, true)
    }
  }, [first])
}
