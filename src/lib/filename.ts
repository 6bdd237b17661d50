import { basename } from 'node:path'

const MAX_NAME_LENGTH = 240

/**
 * Control characters, line separators and characters that change the text direction. File names are
 * shown to people.
 */
const UNFIT = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/**
 * Returns a sender's file name made safe to show and send: the last path segment without control
 * characters. Returns `null` if nothing remains.
 */
export function shownFilename(written: string | null | undefined): string | null {
  const name = basename(
    (written ?? '').replaceAll('\\', '/').toWellFormed().replaceAll(UNFIT, ''),
  ).trim()
  if (name === '' || name === '.' || name === '..') return null
  const letters = [...name]
  if (letters.length <= MAX_NAME_LENGTH) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 12 ? [...name.slice(dot)] : []
  return [...letters.slice(0, MAX_NAME_LENGTH - ending.length), ...ending].join('')
}
