/** A construct of other regex dialects, and where it begins: 0 for the first UTF-16 unit. */
export interface UnsupportedConstruct {
  what: string
  at: number
}

/** Constructs that begin with `(?`, without the groups and flags that RE2 knows. */
const GROUPS: [begins: RegExp, what: string][] = [
  [/^\(\?<?=/, 'look-around'],
  [/^\(\?<?!/, 'look-around'],
  [/^\(\?P=/, 'a back-reference'],
  [/^\(\?>/, 'an atomic group'],
  [/^\(\?[(|#&R+\d'C]/, 'a construct of another dialect'],
]

/** Escapes that refer to a group, or to where a match began. */
const ESCAPES: [escape: RegExp, what: string][] = [
  [/^\\[1-9]/, 'a back-reference'],
  [/^\\[kg][<{']/, 'a back-reference'],
  [/^\\[KGZRX]/, 'a construct of another dialect'],
]

/** A quantifier that gives nothing back; RE2 reads `a{2}+` in the same way. */
const POSSESSIVE = /^(?:[*+?]|\{\d+(?:,\d*)?\})\+/

/**
 * Returns the first construct of a pattern that cannot be matched in linear time, such as
 * look-around and back-references, or `null`. Escaped and quoted characters and those in classes
 * stand for themselves.
 */
export function unsupportedConstruct(pattern: string): UnsupportedConstruct | null {
  let at = 0
  while (at < pattern.length) {
    const rest = pattern.slice(at)
    const what =
      rest[0] === '\\'
        ? namedIn(ESCAPES, rest)
        : POSSESSIVE.test(rest)
          ? 'a possessive quantifier'
          : namedIn(GROUPS, rest)
    if (what !== null) return { what, at }
    at += lengthOfToken(rest)
  }
  return null
}

const namedIn = (constructs: [RegExp, string][], rest: string): string | null =>
  constructs.find(([begins]) => begins.test(rest))?.[1] ?? null

/** A class: a `]` right after its beginning stands for itself, and so do named classes in it. */
const CLASS = /^\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\\\]])*\]/

function lengthOfToken(rest: string): number {
  if (rest.startsWith('\\Q')) {
    const end = rest.indexOf('\\E')
    return end === -1 ? rest.length : end + 2
  }
  if (rest[0] === '\\') return 2
  return CLASS.exec(rest)?.[0].length ?? 1
}
