/**
 * Returns the readable part of an organization's slug: lower-case letters, digits and single
 * hyphens, at most 80 characters, never empty (spec 2.2).
 */
export function slugStem(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
  const hyphened = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return hyphened.slice(0, 80).replace(/^-+|-+$/g, '') || 'org'
}

/** Returns a slug for a name: readable part, hyphen and 8 random characters (spec 2.2). */
export const slugOf = (name: string, suffix: string): string => `${slugStem(name)}-${suffix}`
