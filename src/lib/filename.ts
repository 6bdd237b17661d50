import { basename } from 'node:path'

const MAX_NAME_LENGTH = 240

/**
 * Control characters, line separators and characters that change the text direction. File names are
 * shown to people.
 */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/**
 * Returns a sender's file name made safe to show and send: the last path segment without control
 * characters. Returns `null` if nothing remains.
 */
export function safeFilename(filename: string | null | undefined): string | null {
  const name = basename(
    (filename ?? '').replaceAll('\\', '/').toWellFormed().replaceAll(UNSAFE_CHARACTERS, ''),
  ).trim()
  if (name === '' || name === '.' || name === '..') return null
  const characters = [...name]
  if (characters.length <= MAX_NAME_LENGTH) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 12 ? [...name.slice(dot)] : []
  return [...characters.slice(0, MAX_NAME_LENGTH - extension.length), ...extension].join('')
}
