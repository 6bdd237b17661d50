import type * as Re2 from 're2js'

import { unsupportedConstruct } from './unsupported-regex'

/** Only the beginning of a text is searched: this many UTF-16 units, without half a character. */
const MAX_SEARCHED = 1_024
/** Limit of a compiled program. A search takes at most a step per instruction and character. */
const MAX_INSTRUCTIONS = 100
/** Limit of Unicode classes such as `\pL`, which take a while to compile. */
const MAX_UNICODE_CLASSES = 20

/** Returns the library. It is loaded with the first pattern, because it takes 6 MB of memory. */
const library = (): typeof Re2 => require('re2js') as typeof Re2

/** Why a pattern is refused. The message continues the name of the field. */
export interface RegexProblem {
  code: 'invalid_input' | 'regex_unsupported' | 'regex_too_large'
  message: string
  /** Facts for programs: `position` (from 1) or `instructions` and `max_instructions`. */
  details?: Record<string, number>
}

/** A regular expression in RE2 syntax that is matched in linear time. */
export class SafeRegex {
  private constructor(private readonly re: Re2.RE2JS) {}

  /**
   * Compiles a pattern. Returns why it is refused if it is malformed, has a construct that RE2 does
   * not know, or is too large.
   */
  static compile(
    pattern: string,
    { isCaseSensitive = true }: { isCaseSensitive?: boolean } = {},
  ): SafeRegex | RegexProblem {
    const unsupported = unsupportedConstruct(pattern)
    if (unsupported) return unsupportedProblem(pattern, unsupported)
    const classes = pattern.match(/\\[pP]/g)?.length ?? 0
    if (classes > MAX_UNICODE_CLASSES)
      return {
        code: 'regex_too_large',
        message: `has ${classes} Unicode classes; at most ${MAX_UNICODE_CLASSES} are allowed`,
      }
    const { RE2JS: Re, RE2JSException } = library()
    try {
      return bounded(Re.compile(pattern, isCaseSensitive ? 0 : Re.CASE_INSENSITIVE))
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error
      return {
        code: 'invalid_input',
        message: `is not a regular expression in RE2 syntax: ${reasonOf(error)}`,
      }
    }

    function bounded(re: Re2.RE2JS): SafeRegex | RegexProblem {
      const instructions = re.programSize()
      if (instructions <= MAX_INSTRUCTIONS) return new SafeRegex(re)
      return {
        code: 'regex_too_large',
        message: `compiles to ${instructions} instructions; at most ${MAX_INSTRUCTIONS} are allowed`,
        details: { instructions, max_instructions: MAX_INSTRUCTIONS },
      }
    }
  }

  /**
   * Searches the first 1,024 characters of a text. Returns the named groups that took part, or
   * `null` if nothing matches.
   *
   * `find` of the library is bounded by instructions times characters. Its `test` builds an
   * automaton of up to 8 MB for each pattern, which can take longer.
   */
  find(text: string): Record<string, string> | null {
    const matcher = this.re.matcher(beginningOf(text))
    if (!matcher.find()) return null
    if (Object.keys(this.re.namedGroups()).length === 0) return {}
    return Object.fromEntries(
      Object.entries(matcher.getNamedGroups()).filter(
        (group): group is [string, string] => group[1] !== null,
      ),
    )
  }
}

function beginningOf(text: string): string {
  if (text.length <= MAX_SEARCHED) return text
  const isHalf = /[\ud800-\udbff]/.test(text[MAX_SEARCHED - 1] ?? '')
  return text.slice(0, isHalf ? MAX_SEARCHED - 1 : MAX_SEARCHED)
}

function unsupportedProblem(
  pattern: string,
  { what, at }: { what: string; at: number },
): RegexProblem {
  const position = [...pattern.slice(0, at)].length + 1
  return {
    code: 'regex_unsupported',
    message: `has ${what} at character ${position}, which RE2 does not support`,
    details: { position },
  }
}

/** The library's sentence without its beginning, such as "missing closing ): `(a`". */
const reasonOf = ({ message }: Error): string => message.replace(/^error parsing regexp: /, '')
