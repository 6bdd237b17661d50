/** How words are marked as the platform shows them, with the key that does it. */
export const MARKS = {
  bold: { sign: '*', key: 'b', shortcut: 'Ctrl B' },
  italic: { sign: '_', key: 'i', shortcut: 'Ctrl I' },
  struck: { sign: '~', key: 'x', shortcut: 'Ctrl Shift X' },
  code: { sign: '`', key: 'e', shortcut: 'Ctrl E' },
} as const
export type Mark = keyof typeof MARKS

/** A text with the part of it that is selected. */
export interface Selected {
  text: string
  from: number
  to: number
}

/** Marks the selected words, or takes their mark away. What is empty is marked to be written in. */
export function withMark({ text, from, to }: Selected, mark: Mark): Selected {
  const { sign } = MARKS[mark]
  const words = text.slice(from, to)
  const start = from + (words.length - words.trimStart().length)
  const end = Math.max(start, to - (words.length - words.trimEnd().length))
  if (text.slice(start - 1, start) === sign && text.slice(end, end + 1) === sign)
    return {
      text: text.slice(0, start - 1) + text.slice(start, end) + text.slice(end + 1),
      from: start - 1,
      to: end - 1,
    }
  return {
    text: text.slice(0, start) + sign + text.slice(start, end) + sign + text.slice(end),
    from: start + 1,
    to: end + 1,
  }
}

/** Returns the mark that pressed keys ask for, or `null`. */
export function markOf(event: {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
  altKey: boolean
}): Mark | null {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null
  const found = (Object.keys(MARKS) as Mark[]).find(
    (mark) => MARKS[mark].key === event.key.toLowerCase() && event.shiftKey === (mark === 'struck'),
  )
  return found ?? null
}
