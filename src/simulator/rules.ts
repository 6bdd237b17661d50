/** An invalid value: the platform's error code and details. */
export type Problem = { code: number; details: string }

/** Validates one value of a body; `at` is its path, for the details. */
export type Rule = (value: unknown, at: string) => Problem | undefined

/** Reports whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reports whether a value is a `{{name}}` or `<NAME>` placeholder of the platform's published
 * examples.
 */
export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && /^(\{\{.+\}\}|<.+>)$/.test(value)
}

/** 131008: a required parameter is missing. */
export function missing(at: string): Problem {
  return { code: 131008, details: `Parameter '${at}' is required.` }
}

/** 131009: a parameter has an invalid value. */
export function invalid(at: string, why: string): Problem {
  return { code: 131009, details: `Parameter '${at}' ${why}.` }
}

/** 100: a parameter has the wrong JSON type or is unknown. */
export function malformed(at: string, why: string): Problem {
  return { code: 100, details: `Param ${at} ${why}.` }
}

/** Returns the length in Unicode code points, as the platform counts. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A string of min to max code points (min defaults to 1), optionally with a pattern. */
export function text(max: number, form: { min?: number; pattern?: RegExp } = {}): Rule {
  const min = form.min ?? 1
  return (value, at) => {
    if (typeof value !== 'string') return malformed(at, 'must be a string')
    const length = codePoints(value)
    if (length < min || length > max)
      return invalid(at, `length invalid. Min length: ${min}, Max length: ${max}`)
    if (form.pattern !== undefined && !isPlaceholder(value) && !form.pattern.test(value))
      return invalid(at, 'has an invalid format')
    return undefined
  }
}

/** A non-empty string of any length. */
export const someText: Rule = text(100_000)

/** An http or https URL (platform examples also use `http(s)://`). */
export const link: Rule = text(2000, { pattern: /^<?http(s|\(s\))?:\/\/\S+$/ })

/** A boolean. */
export const flag: Rule = (value, at) =>
  typeof value === 'boolean' ? undefined : malformed(at, 'must be a boolean')

/** A number within bounds, also as a string. */
export function numeric(min: number, max: number, form: { whole?: boolean } = {}): Rule {
  return (value, at) => {
    if (isPlaceholder(value)) return undefined
    if (typeof value !== 'number' && typeof value !== 'string')
      return malformed(at, 'must be a number')
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
    if (!Number.isFinite(number)) return malformed(at, 'must be a number')
    if (form.whole === true && !Number.isInteger(number)) return malformed(at, 'must be an integer')
    return number < min || number > max
      ? invalid(at, `must be between ${min} and ${max}`)
      : undefined
  }
}

/** One of the words, in any case. Accepts placeholders of examples. */
export function oneOf(...words: string[]): Rule {
  return (value, at) => {
    if (typeof value !== 'string') return malformed(at, 'must be a string')
    if (isPlaceholder(value) || words.includes(value.toLowerCase())) return undefined
    return invalid(at, `must be one of {${words.join(', ')}} - got "${value}"`)
  }
}

/** A list of min to max elements that each satisfy the rule. */
export function list(rule: Rule, min: number, max: number): Rule {
  return (value, at) => {
    if (!Array.isArray(value)) return malformed(at, 'must be an array')
    if (value.length < min || value.length > max)
      return invalid(at, `must have ${min} to ${max} elements - got ${value.length}`)
    for (const [index, element] of value.entries()) {
      const problem = rule(element, `${at}[${index}]`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/**
 * An object with these keys. Unknown keys are rejected unless `open`; a missing required key gives
 * 131008.
 */
export function fields(shape: {
  required?: Record<string, Rule>
  optional?: Record<string, Rule>
  open?: boolean
}): Rule {
  const required = shape.required ?? {}
  const known: Record<string, Rule> = { ...required, ...shape.optional }
  return (value, at) => {
    if (!isObject(value)) return malformed(at, 'must be an object')
    for (const key of Object.keys(required)) {
      if (value[key] === undefined || value[key] === null) return missing(`${at}['${key}']`)
    }
    for (const [key, element] of Object.entries(value)) {
      const rule = known[key]
      if (rule === undefined && shape.open !== true)
        return malformed(at, `has an unexpected key "${key}"`)
      const problem = element === undefined ? undefined : rule?.(element, `${at}['${key}']`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** Applies the rules in order and returns the first problem. */
export function all(...rules: Rule[]): Rule {
  return (value, at) => {
    for (const rule of rules) {
      const problem = rule(value, at)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** Requires exactly one of the keys. */
export function exactlyOne(...keys: string[]): Rule {
  return (value, at) => {
    const present = isObject(value) ? keys.filter((key) => value[key] !== undefined) : []
    if (present.length === 0) return missing(keys.map((key) => `${at}['${key}']`).join(' or '))
    return present.length > 1 ? invalid(at, `must have only one of ${keys.join(', ')}`) : undefined
  }
}

/** Any JSON object. */
export const anyObject: Rule = fields({ open: true })
