import { hasDotSegment } from '../../lib/dot-segments'
import { lengthOf } from '../../lib/input-problems'
import { LIQUID_LIMITS, TemplateError, type Budget } from './budget'
import { ReadyText, textOf } from './values'

/** The place of a rendered text, which decides how values are escaped. */
export type EscapePlace = 'text' | 'url' | 'json' | 'header'

/** Returns a value as text, escaped for its place. */
export function escapeFor(place: EscapePlace, value: unknown, budget: Budget): string {
  if (value instanceof ReadyText && value.place === place) return value.text
  const text = textOf(value, budget)
  if (place === 'url') {
    budget.text(3 * text.length)
    return encodeURIComponent(text.toWellFormed())
  }
  if (place !== 'json') return text
  budget.text(text.length)
  return JSON.stringify(text.toWellFormed()).slice(1, -1)
}

/** Characters that a header value cannot hold: control characters, and all beyond Latin-1. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\xa0-\xff]/

/**
 * Requires that a rendered text is not too long and does not mean something else than its template.
 * Throws TemplateError.
 */
export function requireFits(place: EscapePlace, text: string): void {
  requireLength(text.length > LIQUID_LIMITS.output ? lengthOf(text) : text.length)
  if (place === 'header' && NOT_IN_HEADERS.test(text))
    throw new TemplateError(
      'header_characters',
      'The header value contains a line break or a character that headers cannot hold.',
    )
  if (place === 'url' && hasDotSegment(text))
    throw new TemplateError('url_dots', 'The URL contains a path segment of dots.')
}

/** Throws TemplateError for more Unicode characters than a result may have, as the platform counts. */
export function requireLength(characters: number): void {
  if (characters > LIQUID_LIMITS.output)
    throw new TemplateError(
      'output_too_long',
      `The text is longer than ${LIQUID_LIMITS.output} characters.`,
    )
}
