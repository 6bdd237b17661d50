import { SafeRegex } from '../../lib/safe-regex'

const MAX_KEPT = 200
const MAX_PATTERN = 500

/** Compiled regular expressions, the last used ones. */
export class PatternCache {
  /** By pattern; a text tells why it is refused. */
  private readonly kept = new Map<string, SafeRegex | string>()

  /** Returns a compiled pattern, or `null` if it is invalid or too large. */
  get(pattern: string): SafeRegex | null {
    const made = this.find(pattern)
    return typeof made === 'string' ? null : made
  }

  /** Returns what is wrong with a pattern, or `null`. */
  problem(pattern: string): string | null {
    const made = this.find(pattern)
    return typeof made === 'string' ? made : null
  }

  private find(pattern: string): SafeRegex | string {
    if (pattern.length > MAX_PATTERN) return `must have at most ${MAX_PATTERN} characters`
    const made = this.kept.get(pattern) ?? compile(pattern)
    this.kept.delete(pattern)
    this.kept.set(pattern, made)
    const [oldest] = this.kept.keys()
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest)
    return made
  }
}

function compile(pattern: string): SafeRegex | string {
  const made = SafeRegex.compile(pattern)
  return made instanceof SafeRegex ? made : made.message
}

/** Returns what is wrong with a pattern that is written out in a template, or `null`. */
export const patternProblem = (pattern: string): string | null =>
  new PatternCache().problem(pattern)
