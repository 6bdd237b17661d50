import { SafeRegex } from '../../../lib/safe-regex'

const MAX_KEPT = 200
const MAX_PATTERN = 500

/** Compiled regular expressions of templates and expressions, the last used ones. */
export class PatternCache {
  private readonly kept = new Map<string, SafeRegex | null>()

  /** Returns a compiled pattern, or `null` if it is invalid or too large. */
  get(pattern: string): SafeRegex | null {
    const known = this.kept.get(pattern)
    const made = known === undefined ? compile(pattern) : known
    this.kept.delete(pattern)
    this.kept.set(pattern, made)
    const [oldest] = this.kept.keys()
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    return made
  }
}

function compile(pattern: string): SafeRegex | null {
  if (pattern.length > MAX_PATTERN) return null
  const made = SafeRegex.compile(pattern)
  return made instanceof SafeRegex ? made : null
}

/** Returns what is wrong with a pattern, or `null`. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN) return `must have at most ${MAX_PATTERN} characters`
  const made = SafeRegex.compile(pattern)
  return made instanceof SafeRegex ? null : made.message
}
