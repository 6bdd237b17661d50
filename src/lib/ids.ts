import type { Clock } from './clock'
import { randomText } from './random'

/** Source of new identifiers, replaceable in tests. */
export interface Ids {
  /**
   * Returns a new UUID version 7 (RFC 9562), which sorts by creation time. It is not secret: nothing
   * may depend on nobody guessing it.
   */
  next(): string
  /** Returns a UUID version 4 of 122 random bits, which nobody can guess. */
  random(): string
  /** Returns 8 random characters a-z 0-9 that make equal names unique. */
  suffix(): string
}

/**
 * Returns an ID generator that takes the time of its UUIDs from `clock`. Within a process, a counter
 * in the 12 bits after the time keeps their order; 62 random bits follow.
 */
export const timeSortedIds = (clock: Clock): Ids => ({
  next: () => Bun.randomUUIDv7('hex', clock.nowMs()),
  random: () => crypto.randomUUID(),
  suffix: () => randomText(8, SUFFIX_ALPHABET),
})

const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Pattern of a UUID of any version in upper or lower case, without anchors: part of others. */
export const UUID_PATTERN = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

const UUID = new RegExp(`^${UUID_PATTERN}$`)

/**
 * Returns a UUID version 5 (RFC 9562) that is the same for the same name in the same namespace,
 * which is a UUID.
 */
export const derivedId = (namespace: string, name: string): string =>
  Bun.randomUUIDv5(name, namespace)

/** Reports whether the text has the form of a UUID of any version. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** Returns a UUID in lower case, as IDs are stored. Returns other text unchanged. */
export const normalizeId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text)

/** Returns the UUIDs among the texts, in lower case. */
export const validIds = (texts: string[]): string[] => texts.filter(isUuid).map(normalizeId)

/** Returns a path with every UUID segment in lower case. */
export const normalizePathIds = (path: string): string =>
  /[A-F]/.test(path) ? path.split('/').map(normalizeId).join('/') : path
