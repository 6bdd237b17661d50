import { basename } from 'node:path'

/**
 * A file that arrived and is not kept yet: it lies under a random name in the folder of the store until somebody keeps it. Where
 * it lies is told to nobody: as JSON it is its name, type, size and checksum, which is also what makes two requests the same one.
 */
export class StagedFile {
  constructor(
    /** Where it lies. */
    readonly path: string,
    readonly facts: {
      /** As its sender called it, without folders; `null` when it has no name. */
      filename: string | null
      /** The type its sender claims. */
      mimeType: string | null
      sizeBytes: number
      /** Hex. */
      sha256: string
    },
  ) {}

  toJSON(): StagedFile['facts'] {
    return this.facts
  }
}

const LONGEST_NAME = 240

/** What separates folders, ends texts, or turns the direction of writing around: names are shown to people. */
const UNFIT = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A file name as its sender wrote it, made fit to be shown and sent: the last part of a path, without control characters; `null` when nothing is left. */
export function shownFilename(written: string | null | undefined): string | null {
  const name = basename((written ?? '').replaceAll('\\', '/').toWellFormed().replaceAll(UNFIT, '')).trim()
  if (name === '' || name === '.' || name === '..') return null
  const letters = [...name]
  if (letters.length <= LONGEST_NAME) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 12 ? [...name.slice(dot)] : []
  return [...letters.slice(0, LONGEST_NAME - ending.length), ...ending].join('')
}
