import { useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { PlainButton } from './button'

const MARKS = { '*': 'b', _: 'i', '~': 's' } as const
/** Code, marked words, addresses. Marks count only around words, as on the platform. */
const PATTERN =
  /```([^`]+)```|`([^`\n]+)`|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\3(?![\p{L}\p{N}])|(https?:\/\/[^\s<>"]+[^\s<>".,:;!?)\]}'])/gu
const MAX_DEPTH = 4

/** Returns a text with the platform's marks and links as elements; never HTML. */
function elementsOf(text: string, depth: number, hasLinks = true): ReactNode[] {
  if (depth > MAX_DEPTH) return [text]
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(PATTERN)) {
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push(elementOf(match, depth, hasLinks))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

function elementOf(match: RegExpExecArray, depth: number, hasLinks: boolean): ReactNode {
  const [all, block, code, mark, words = '', address] = match
  const key = match.index
  if (block !== undefined || code !== undefined) return <code key={key}>{block ?? code}</code>
  if (address !== undefined)
    return !hasLinks ? (
      address
    ) : (
      <a key={key} href={address} target="_blank" rel="noopener noreferrer">
        {address}
      </a>
    )
  const Mark = MARKS[mark as keyof typeof MARKS]
  return Mark ? <Mark key={key}>{elementsOf(words, depth + 1, hasLinks)}</Mark> : all
}

/** Lines and characters of a text that are shown at once, and how many more do not count. */
const SHOWN = { lines: 30, characters: 2_000, more: 10 }

/** Returns the beginning of a long text, or the text itself. */
function beginningOf(text: string): string {
  const lines = text.split('\n', SHOWN.lines + SHOWN.more + 1)
  const isLong =
    lines.length > SHOWN.lines + SHOWN.more || text.length > SHOWN.characters + SHOWN.more
  if (!isLong) return text
  const words = lines.slice(0, SHOWN.lines).join('\n').slice(0, SHOWN.characters)
  // a character that was cut in half
  return words.toWellFormed() === words ? words : words.slice(0, -1)
}

/**
 * Words of a person, with bold, italic, struck, code and links as on the platform. Of long ones the
 * beginning is shown until somebody wants to see all.
 */
export function RichText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : beginningOf(text)
  return (
    <>
      <p className="rich-text" dir="auto">
        {elementsOf(shown, 0)}
        {shown.length < text.length && '…'}
      </p>
      {shown.length < text.length && (
        <PlainButton
          className="link"
          onPress={() => {
            setWhole(true)
          }}
        >
          {t('parts.action.show-all')}
        </PlainButton>
      )}
    </>
  )
}

/** Returns such words without their marks, for names and labels. */
export const withoutMarks = (text: string, depth = 0): string =>
  text.replaceAll(PATTERN, (...match) => {
    const [all, block, code, , words] = match as (string | undefined)[]
    if (words !== undefined && depth < MAX_DEPTH) return withoutMarks(words, depth + 1)
    return block ?? code ?? all ?? ''
  })

/** The beginning of such words in one line, without links. */
export function RichLine({ text }: { text: string }) {
  return <span dir="auto">{elementsOf(text, 0, false)}</span>
}
