import { isCalendarDate } from '../../../../lib/instant'
import { parsePhone, type CountryCode } from '../../../../lib/phone'
import { readNumber } from '../../../../lib/typed-number'
import { withPlainDigits } from '../../../../lib/typed-text'
import type { NodeConfig } from '../../bot-flows/node-config'
import type { LiquidTemplates } from '../../liquid/liquid'
import type { Turn } from '../model'

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}\.[^\s@.]{2,63}$/

/** Days as people write them: `31.12.2026`, `31/12/2026`. */
const DAY_FIRST = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/

/** Returns the answer to a question, or `null` if the turn does not answer it. */
export function readAnswer(
  config: NodeConfig<'prompt'>,
  turn: Turn,
  { liquid, country }: { liquid: Pick<LiquidTemplates, 'matches'>; country: string | null },
): { value: unknown } | null {
  const text = writtenText(config.input, turn)
  const answer = valueOf(config.input, { turn, text, country })
  const pattern = config.validation_regex
  if (answer === null || pattern == null) return answer
  return liquid.matches(pattern, text) ? answer : null
}

/** Inputs that people write with the digits of their own script. */
const OF_DIGITS: ReadonlySet<string> = new Set(['number', 'phone', 'date'])

function writtenText(input: NodeConfig<'prompt'>['input'], turn: Turn): string {
  const text = turn.text?.trim() ?? ''
  return OF_DIGITS.has(input) ? withPlainDigits(text).trim() : text
}

function valueOf(
  input: NodeConfig<'prompt'>['input'],
  { turn, text, country }: { turn: Turn; text: string; country: string | null },
): { value: unknown } | null {
  switch (input) {
    case 'any': {
      const { text: written, form, location, media, contacts, order } = turn
      const value = written ?? form?.data ?? location ?? media ?? contacts ?? order
      return value === null ? null : { value }
    }
    case 'text':
      return text === '' ? null : { value: text }
    case 'number': {
      const number = readNumber(text)
      return number === null ? null : { value: number }
    }
    case 'email':
      return EMAIL.test(text) ? { value: text.toLowerCase() } : null
    case 'phone': {
      const digits = parsePhone(text, (country ?? undefined) as CountryCode | undefined)
      return digits === null ? null : { value: digits }
    }
    case 'date': {
      const date = dateIn(text)
      return date === null ? null : { value: date }
    }
    case 'media':
      return turn.media && { value: turn.media }
    case 'location':
      return turn.location && { value: turn.location }
  }
}

/** Returns a date as `YYYY-MM-DD`; the day comes first unless the year does. */
function dateIn(text: string): string | null {
  if (isCalendarDate(text)) return text
  const parts = DAY_FIRST.exec(text)
  if (!parts) return null
  const [, day = '', month = '', year = ''] = parts
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isCalendarDate(date) ? date : null
}
