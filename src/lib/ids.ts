import type { Clock } from './clock'
import { randomText } from './random'

/** Where the program takes new identifiers from, so that tests can count them. */
export interface Ids {
  /** A new UUID version 7 (RFC 9562): sorts by the time it was made. */
  next(): string
  /** 8 random characters a-z 0-9, by which names that are equal differ. */
  suffix(): string
}

/** Identifiers of which the long ones carry the clock's time. */
export const timeSortedIds = (clock: Clock): Ids => ({
  next: () => Bun.randomUUIDv7('hex', clock.nowMs()),
  suffix: () => randomText(8, SUFFIX_ALPHABET),
})

const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

const UUID = new RegExp(UUID_PATTERN)

/** Whether the text has the form of a UUID, of any version. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** An id in the spelling it is stored in: in lower case. What is no UUID stays as it is. */
export const storedId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text)

/** Those of the texts that have the form of a UUID, in the spelling ids are stored in. */
export const idsAmong = (texts: string[]): string[] => texts.filter(isUuid).map(storedId)

/** A path in which every part that is an id stands in the spelling it is stored in. */
export const pathWithStoredIds = (path: string): string =>
  /[A-F]/.test(path) ? path.split('/').map(storedId).join('/') : path
