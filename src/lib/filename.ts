import { basename } from 'node:path'

const MAX_NAME_LENGTH = 240

/**
 * What separates folders, ends texts, or turns the direction of writing around: names are shown to
 * people.
 */
const UNFIT = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/**
 * A file name as its sender wrote it, made fit to be shown and sent: the last part of a path,
 * without control characters; `null` when nothing is left.
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
