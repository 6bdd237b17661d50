import { randomText } from './random'

const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The readable part of an organization's slug: lower-case letters, digits and single hyphens, at most 80, never empty (spec 2.2). */
export function slugStem(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
  const hyphened = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return hyphened.slice(0, 80).replace(/^-+|-+$/g, '') || 'org'
}

/** A new slug for a name: the readable part, a hyphen and 8 random characters (spec 2.2). */
export const newSlug = (name: string): string => `${slugStem(name)}-${randomText(8, SUFFIX_ALPHABET)}`
